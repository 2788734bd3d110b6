// Locations among which costs are computed, and a problem on them as the searches for large ones see it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "netplace/draws.hpp"

namespace netplace::placement {

enum class Pricing : std::int64_t { grid, td, tree, table, twist };  // as kinds.py has them

// See Locations in locations.py.
struct Locations {
    Pricing kind;
    std::vector<float> places;  // (locations, width)
    std::int64_t count, width;
    std::vector<float> steps;
    std::vector<std::int16_t> short_table;  // one of the two is used
    std::vector<float> float_table;
    std::int64_t table_width;
    std::vector<std::int32_t> home;
    bool is_short;

    float tabulated(std::int64_t row, std::int64_t column) const {
        const auto at = row * table_width + column;
        return is_short ? static_cast<float>(short_table[at]) : float_table[at];
    }
    const float* place(std::int64_t location) const { return places.data() + location * width; }

    // The cost of a unit of flow between two locations.
    float price(std::int64_t a, std::int64_t b) const {
        switch (kind) {
            case Pricing::table: {
                const auto cost = tabulated(home[a], home[b]);
                return a != b ? cost + steps[0] : cost;
            }
            case Pricing::tree: return price_tree(place(a), place(b));
            case Pricing::twist: return price_twist(place(a), place(b));
            default: return price_grid(a, b);
        }
    }

private:
    float price_tree(const float* a, const float* b) const {
        float total = 0;
        for (std::int64_t stage = 0; stage < width; ++stage) {
            if (a[stage] != b[stage]) total += steps[stage];
        }
        return total;
    }

    float price_twist(const float* a, const float* b) const {
        auto x = b[0] - a[0], y = b[1] - a[1];
        if (y < 0) {
            x -= steps[2];
            y += steps[1];
        }
        while (x < 0) x += steps[0];
        return tabulated(static_cast<std::int64_t>(y), static_cast<std::int64_t>(x));
    }

    // The distance, in `td` with its asymmetry: the differences between what it is in any two dimensions.
    float price_grid(std::int64_t a, std::int64_t b) const {
        const auto *from = place(a), *to = place(b);
        float total = a != b ? tabulated(0, 0) : 0;
        for (std::int64_t d = 0; d < width; ++d) {
            const auto gap = gap_in(from, to, d);
            total += gap;
            if (kind != Pricing::td) continue;
            for (std::int64_t e = 0; e < d; ++e) total += std::abs(gap - gap_in(from, to, e));
        }
        return total;
    }

    float gap_in(const float* a, const float* b, std::int64_t d) const {
        const auto gap = std::abs(a[d] - b[d]);
        return std::min(gap, steps[d] - gap);
    }
};

// See Level in annealing.py: symmetric flows task by task, locations, and those near each.
struct Level {
    std::vector<std::int32_t> first, other;
    std::vector<float> flow;
    const Locations* locations;
    std::vector<std::int32_t> near;
    std::int64_t nearest;
    std::int64_t fixed;  // a task that stays where it is; -1: none

    std::int64_t tasks() const { return static_cast<std::int64_t>(first.size()) - 1; }
    std::span<const std::int32_t> near_to(std::int64_t location) const {
        return {near.data() + location * nearest, static_cast<std::size_t>(nearest)};
    }

    // annealing.cpp: what the flows between tasks that have a location cost, each counted twice.
    double cost(std::span<const std::int32_t> place) const;
    // The flow among tasks that have a location.
    double inside(std::span<const std::int32_t> place) const;
    // Makes proposals; returns by how much the cost changed, and the sizes of the changes proposed.
    std::pair<double, double> propose(std::span<std::int32_t> place, std::span<std::int32_t> holder,
                                      std::span<const std::int32_t> active, double temperature, std::int64_t count,
                                      Draws draws) const;

private:
    double moved(std::span<const std::int32_t> place, std::int64_t u, std::int64_t v, std::int64_t here,
                 std::int64_t there) const;
};

// growing.cpp: a placement that grows, as Growth of growing.py has it.
struct Growing {
    std::span<std::int32_t> place, holder, active;
    std::span<double> said;         // the flow from each task to those placed,
    std::span<std::int64_t> turn;   // when it last grew: of equals the first is taken
    std::span<std::int32_t> stamp;  // room

    // Places tasks until `target` of them have a location, the first one, where none has, at `location`.
    void grow(const Level& level, std::int64_t placed, std::int64_t target, std::int64_t task, std::int64_t location);

private:
    std::int64_t free_near(const Level& level, std::int64_t anchor, std::int32_t mark);
};

// How many partners away each task is from `start`; -1 where there is no way.
std::vector<std::int64_t> hops_from(std::span<const std::int32_t> first, std::span<const std::int32_t> other,
                                    std::int64_t start);

// coarsening.cpp: the mate of each vertex; where their number is odd one has none: `last`, if there is one.
std::vector<std::int64_t> match(std::span<const std::int32_t> first, std::span<const std::int32_t> other,
                                std::span<const float> flow, std::span<const std::int64_t> order, std::int64_t last);

}  // namespace netplace::placement
