// Policy `smart` (model: "Meshes and tori"): the memory of alternatives, of all inputs of a router at once.
//
// A waiting head that could get nothing sleeps: its router is visited again when an event could help it. Only the
// memory of alternatives changes during these cycles, and `catch_up` updates it afterwards.
//
// With one adaptive VC an input that travels in dimension d has the alternatives d, d + 1, .. (cyclically), escape.
// The memory is one set for each alternative but the first: the inputs that try it next.
#pragma once

#include "smart_at_once.hpp"

namespace netplace {

inline constexpr int most_dims = 16;

template <class D>
struct Alternatives {
    Unset<typename D::S::Local, D::Wiring::room_for_dims> of;  // by dimension: who could use its adaptive VC, or who requests it
};

// The waiting inputs that could use each dimension's adaptive VC.
template <class D, class Dims>
Alternatives<D> passing(Dims dims, const typename D::Router& r) {
    using L = typename D::S::Local;
    Alternatives<D> could;
    const L room = r.room, wait = r.wait;
    for (int dim = 0; dim < dims; ++dim) {
        const auto plus = L(r.want[2 * dim]).where(room.has(4 * dim + 1));
        const auto minus = L(r.want[2 * dim + 1]).where(room.has(4 * dim + 3));
        could.of[dim] = (plus | minus) & wait;
    }
    return could;
}

// Simulate one try of every waiting head; `could` becomes the requests for each dimension. Returns the heads at the
// escape channel.
template <class D, class Dims>
typename D::S::Local try_alternatives(const D& d, Dims dims, typename D::Router& r, Alternatives<D>& could) {
    using S = typename D::S::Local;
    S trying = r.wait;
    Unset<S, D::Wiring::room_for_dims> requesting;
    for (int dim = 0; dim < dims; ++dim) requesting[dim] = {};
    for (int k = 0; k < dims; ++k) trying -= S(r.next[k]);
    for (int k = 0; k < dims; ++k) {
        S may;
        for (int dim = 0; dim < dims; ++dim) {
            const int at = dim + k < dims ? dim + k : dim + k - dims;
            may |= S(d.net.wiring.travels(dim)) & could.of[at];
        }
        const S hit = trying & may;
        for (int dim = 0; dim < dims; ++dim) {
            const int at = dim + k < dims ? dim + k : dim + k - dims;
            requesting[at] |= S(d.net.wiring.travels(dim)) & hit;
        }
        trying = (trying - hit) | S(r.next[k]);
        r.next[k] = hit;
    }
    for (int dim = 0; dim < dims; ++dim) could.of[dim] = requesting[dim];
    return trying;
}

// The alternative that an input tries next; `dims` is escape.
template <class D>
int memory_of(const D& d, const typename D::Router& r, int i) {
    for (int k = 0; k < d.net.wiring.dims(d.plan); ++k)
        if (r.next[k].has(i)) return k + 1;
    return 0;
}

template <class R>
void remember(R& r, int i, int old, int now) {
    if (old > 0) r.next[old - 1].erase(i);
    if (now > 0) r.next[now - 1].insert(i);
}

// The output, if there is room downstream and, on entering the ring, the bubble here (model: "The bubble"); else -1.
template <class R>
int admitted(const R& r, int i, int output) {
    return r.room.has(output) && (i == output || r.bubble.has(output)) ? output : -1;
}

// The port by which a head goes on in dimension order.
template <class R>
int first_port(const R& r, int i) {
    int port = 0;
    while (!r.want[port].has(i)) ++port;
    return port;
}

template <class D>
int escape_output(const D& d, const typename D::Router& r, int i) {
    return admitted(r, i, first_port(r, i) * d.plan.channels());
}

// The request of an input with several adaptive VCs, or -1; advances its memory.
template <class D>
int smart_output(const D& d, std::uint32_t router, typename D::Router& r, int i, Cycle cycle) {
    const int dims = d.net.wiring.dims(d.plan), vcs = d.plan.channels();
    const int own_port = i < r.fed ? d.port_of(i) : -1, own = i < r.fed ? own_port >> 1 : 0;
    const int start = memory_of(d, r, i);
    for (int k = start; k < dims; ++k) {
        const int dim = own + k < dims ? own + k : own + k - dims;
        int port = 2 * dim;
        if (!r.want[port].has(i) && !r.want[++port].has(i)) continue;
        int vc = 0;
        if (port == own_port && d.vc_of(i) > 0) {
            vc = d.vc_of(i);
        } else {
            vc = 1 + below(d.chance.draw(Purpose::adaptive_vc, router, i * dims + dim, cycle), vcs - 1);
        }
        const int output = port * vcs + vc;
        if (r.room.has(output)) {
            remember(r, i, start, k + 1);
            return output;
        }
    }
    remember(r, i, start, 0);
    return escape_output(d, r, i);
}

// Let the waiting inputs try their alternatives for the cycles that their router slept. An input with p
// alternatives that it could use tries them in turn, then escape: a circle of p + 1 cycles.
template <class D>
[[gnu::noinline]] void sleep_by_sets(const typename D::Wiring& grid, const Plan& plan, typename D::Router& r, std::uint32_t asleep) {
    const int dims = grid.dims(plan);
    const auto could = passing<D>(dims, r);
    typename D::S some;
    for (int dim = 0; dim < dims; ++dim) some |= could.of[dim];
    for (int k = 0; k < dims; ++k) r.next[k] &= some;
    some.for_each([&](int i) {
        int own = 0;
        while (!grid.travels(own).has(i)) ++own;
        const auto usable_at = [&](int k) { return could.of[own + k < dims ? own + k : own + k - dims].has(i); };
        std::uint32_t tried = 0, usable = 0;  // tried: of those that it could use, before the one that is next
        for (int k = 0; k < dims; ++k) {
            usable += usable_at(k);
            if (r.next[k].has(i)) {
                r.next[k].erase(i);
                tried = usable;
            }
        }
        std::uint32_t place = (tried + asleep) % (usable + 1);
        for (int k = 0; k < dims && place > 0; ++k) {
            place -= usable_at(k);
            if (place == 0) r.next[k].insert(i);
        }
    });
}

// Do the same input by input: with several adaptive VCs each cycle draws anew.
template <class D>
[[gnu::noinline]] void sleep_by_inputs(const D& d, std::uint32_t router, typename D::Router& r, Cycle begin, Cycle end) {
    const auto could_move = [&] {  // whether any adaptive VC that a waiting input wants has room
        for (int output = 0; output < r.fed; ++output)
            if (d.vc_of(output) > 0 && r.room.has(output) && (r.want[d.port_of(output)] & r.wait).any()) return true;
        return false;
    };
    for (Cycle cycle = begin; cycle < end; ++cycle) {
        bool moved = false;
        r.wait.for_each([&](int i) {
            const int before = memory_of(d, r, i);
            smart_output(d, router, r, i, cycle);
            moved |= before > 0 || memory_of(d, r, i) > 0;
        });
        if (!moved && !could_move()) return;
    }
}

// Advance the memories of a router that slept to the start of `cycle`.
template <class D>
void catch_up(const D& d, std::uint32_t router, typename D::Router& r, Cycle cycle) {
    const std::uint32_t asleep = static_cast<std::uint32_t>(cycle) - r.time;
    r.time = static_cast<std::uint32_t>(cycle);
    if ((asleep == 0) | r.wait.none()) return;
    if constexpr (D::Wiring::at_once) {
        sleep_at_once(r, asleep);
    } else if (d.net.wiring.by_sets(d.plan)) {
        sleep_by_sets<D>(d.net.wiring, d.plan, r, asleep);
    } else {
        sleep_by_inputs(d, router, r, cycle - asleep, cycle);
    }
}

}  // namespace netplace
