// Arbiters (model: "Arbitration and links"): which of the requests for an output is granted.
#pragma once

#include "fifos.hpp"

namespace netplace {

// The value that arbiters `longest`, `fifo` and `age` compare; the largest wins.
template <class D>
std::int64_t claim(D& d, std::uint32_t router, const typename D::Router& r, int i, Cycle cycle) {
    if constexpr (!D::Wiring::usual) {
        switch (d.plan.arbiter_kind()) {
            case Arbiter::longest:
                if constexpr (D::Wiring::is_table) return std::min<int>(r.fifo[i].count, d.plan.fifo_depth());
                return phits_in(d, r, i, cycle);
            case Arbiter::first_come: return cycle - r.times[i].since;
            default: break;
        }
    }
    return cycle - head_of(d, router, r, i).birth;
}

// The input that the arbiter selects among the requests, at least one.
template <class D>
int chosen(D& d, std::uint32_t router, const typename D::Router& r, const typename D::S& requests, int turn, int output,
           Cycle cycle) {
    const Arbiter arbiter = d.plan.arbiter_kind();
    if (arbiter == Arbiter::round_robin) return requests.next_from(turn);
    if (requests.single()) return requests.lowest();
    if (arbiter == Arbiter::random)
        return requests.nth(below(d.chance.draw(Purpose::arbiter, router, output, cycle), requests.count()));
    const auto later = arbiter == Arbiter::longest ? requests.from(turn) : requests;
    int best = -1;
    std::int64_t most = -1;
    const auto compare = [&](int i) {
        const std::int64_t value = claim(d, router, r, i, cycle);
        if (value > most) most = value, best = i;
    };
    later.for_each(compare);
    (requests - later).for_each(compare);
    return best;
}

}  // namespace netplace
