// Swaps of tasks, priced by what they do to the loads of links.
#pragma once

#include <cstdint>
#include <span>

#include "netplace/draws.hpp"

namespace netplace::placement {

// Which links a byte between two switches crosses, and its share on each: pair a * switches + b has those from
// first[pair] to before first[pair + 1].
struct Ways {
    std::span<const std::int64_t> first, link;
    std::span<const double> share;
    std::int64_t switches;
};

// Flows task by task: size[x] to task other[x], x from first[u] to before first[u + 1].
struct TaskFlows {
    std::span<const std::int64_t> first, other;
    std::span<const double> size;
};

struct LinkSearch {
    TaskFlows out, back;  // from and to each task
    Ways ways;
    std::span<std::int64_t> place, home;  // of each task, those without traffic included, and its switch
    std::span<double> loads;              // of each link
    std::int64_t tasks;                   // with traffic

    // Swaps random tasks, as many as `changes` has places for, taking back what makes loads worse than a temperature
    // allows; fills in what each would change of the sum of squares, and returns what all have changed.
    double propose(Draws draws, double temperature, std::span<double> changes);
    // Proposes as many swaps as there are tasks; keeps those that make the fullest link little fuller: by a share
    // `slack` at most; where that is nothing, the sum of squares may not grow either. The least load of the fullest link
    // goes to best[0], its places behind it.
    void empty(Draws draws, double slack, std::span<double> best);

private:
    double add(const TaskFlows& flows, bool back, std::int64_t u, std::int64_t without, double sign);
    double swap(std::int64_t u, std::int64_t v);
};

// Adds the loads of flows between pairs of switches to those on the links.
void add_loads(const Ways& ways, std::span<const std::int64_t> pair, std::span<const double> size,
               std::span<double> loads);

}  // namespace netplace::placement
