// The searches for a placement of least cost: tabu search, and simulated annealing from the flows of tasks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "netplace/draws.hpp"

namespace netplace::placement {

using Integers = std::span<const std::int64_t>;
using Floats = std::span<const double>;

// Flows task by task: size[x] to task other[x], x from first[u] to before first[u + 1].
struct FlowLists {
    Integers first, other;
    Floats size;
};

// annealing.cpp: the problem as Sparse of lowered.py has it; a cost is a double, a float or a short number.
template <class Cost>
struct SparseProblem {
    FlowLists flows, back;
    Floats own;  // flow of each task to itself
    std::span<const Cost> costs, costs_back;
    std::int64_t locations;
    Integers active, near;  // tasks with flows; locations near each, `nearest` of them
    std::int64_t nearest;

    // The cost changes of random swaps.
    std::vector<double> samples(Integers place, Draws draws, std::int64_t count) const;
    // Does sweeps at one temperature. `state` holds the cost, the least cost (that of `best`) and the sum of costs after
    // each sweep, relative to the start of the run; `targeted` is the share of proposals that take a task next to a
    // partner.
    void anneal(std::span<std::int64_t> place, std::span<std::int64_t> holder, std::span<std::int64_t> best,
                std::span<double> state, Draws draws, std::int64_t sweeps, double temperature, double targeted) const;

private:
    double gain(Integers place, std::int64_t u, std::int64_t v) const;
};

// tabu.cpp: robust tabu search, with the gains of all swaps kept up to date.
struct TabuProblem {
    std::int64_t n, rows;      // locations; tasks with flows, which are the first
    const double *A, *AT;      // flows, row by row
    double *costs, *costs_back;  // kept permuted as the tasks are placed
    bool symmetric;
    double *gain;   // gain[u, v], u < v: the change of cost by swapping u and v
    double *until;  // until[u, v]: the iteration up to which task u must not return to the location that v has now
    double *free;   // free[u, v]: the iteration after which one of the two may
    std::span<std::int64_t> place, best;
    std::span<double> state;  // iterations done, cost, and the cost of `best`, relative to the start

    // Does up to so many swaps and returns how many were done; without tenure, stops where no swap improves.
    std::int64_t search(Draws draws, std::int64_t iterations, double low, double high);

private:
    void price(std::int64_t r, double* priced) const;
};

}  // namespace netplace::placement
