// Meshes and tori (model: "Meshes and tori"): route records, and what waiting heads request, by policy.
#pragma once

#include "smart.hpp"

namespace netplace {

// A grid of so many dimensions with the usual settings; 0: any grid.
template <int usual_dims>
struct Grid {
    static constexpr bool usual = usual_dims > 0;
    static constexpr bool tuned = usual;  // see engine_of.hpp
    using Settings = netplace::Settings<usual>;
    static constexpr bool by_arithmetic = usual;
    static constexpr bool at_once = usual && usual_dims <= 3;  // requests are computed for all ports in one step
    static constexpr int name_bits = 6;
    static constexpr bool counts_phits = true;  // room is counted in phits, and known at once
    static constexpr bool is_table = false, is_tree = false;
    using Router = std::conditional_t<usual, GridRouter<usual ? usual_dims : 1>, FlatRouter<Set<std::uint64_t>>>;
    using Packet = netplace::Packet;
    using S = typename Router::S;
    static constexpr int room_for_dims = usual ? usual_dims : most_dims;
    static constexpr int room_for_ports = 2 * room_for_dims;
    static constexpr int slots = 16 * usual_dims + 8;  // places for packets of a usual router

    std::vector<std::int32_t> coordinate;    // nodes x dims
    std::vector<std::int32_t> size;          // by dimension; negative: no wrap-around
    struct Fields {                          // of a route record
        std::int32_t shift[room_for_dims], mask[room_for_dims];  // by dimension
        std::uint32_t magnitudes = 0;        // bits that count hops
    } fields;
    std::vector<std::int32_t> record_first;  // twisted torus: first route of each displacement
    std::vector<std::int32_t> record;        // and the routes
    S groups[most_dims];                     // by dimension: inputs that travel in it

    int dims(const Plan& plan) const { return usual ? usual_dims : static_cast<int>(plan.dims); }
    // Whether the requests of a router are computed for all inputs at once.
    bool by_sets(const Plan& plan) const {
        return usual || plan.vcs == 1 || (plan.vcs == 2 && plan.policy == static_cast<int>(Policy::smart));
    }
    bool compares_loads(const Plan& plan) const {
        return !usual && plan.policy == static_cast<int>(Policy::shortest) && plan.vcs > 1;
    }
    bool remembers(const Plan& plan) const { return usual || plan.policy == static_cast<int>(Policy::smart); }
    S travels(int dim) const {
        if constexpr (usual) {
            S inputs = S::range(4 * dim, 4);
            if (dim == 0) inputs.insert(4 * usual_dims);
            return inputs;
        } else {
            return groups[dim];
        }
    }
};

// The minimal route record of a packet created in `cycle`: hops left and sign, in a field for each dimension.
template <int n, class D>
std::uint32_t route_of(const Grid<n>& grid, const D& d, std::int32_t source, std::int32_t target, Cycle cycle) {
    const auto& plan = d.plan;
    const int dims = grid.dims(plan);
    if (plan.twist != 0) {  // looks the same from every node, so the routes of a displacement are tabulated
        const auto here = grid.coordinate.begin() + std::int64_t{source} * dims, there = grid.coordinate.begin() + std::int64_t{target} * dims;
        const std::int64_t width = grid.size[0];
        std::int64_t x = there[0] - here[0], place = 0, stride = width;
        for (int dim = 1; dim < dims; ++dim) {
            std::int64_t along = there[dim] - here[dim];
            if (along < 0) along += grid.size[dim], x -= plan.twist;
            place += along * stride, stride *= grid.size[dim];
        }
        place += (x % width + width) % width;
        std::int32_t begin = grid.record_first[place];
        const std::int32_t count = grid.record_first[place + 1] - begin;
        if (count > 1) begin += below(d.chance.draw(Purpose::twist, source, 0, cycle), count);
        return static_cast<std::uint32_t>(grid.record[begin]);
    }
    std::uint32_t route = 0;
    for (int dim = 0; dim < dims; ++dim) {
        std::int32_t hops = grid.coordinate[target * dims + dim] - grid.coordinate[source * dims + dim];
        const std::int32_t size = grid.size[dim];
        int sign = 0;
        sign = hops < 0;
        hops = (hops ^ -sign) + sign;
        if (size > 0) {
            const std::int32_t other = size - hops;
            if (other < hops) {
                hops = other, sign ^= 1;
            } else if (other == hops) {
                sign = below(d.chance.draw(Purpose::half_ring, source, dim, cycle), 2);
            }
        }
        route |= static_cast<std::uint32_t>(2 * hops + sign) << grid.fields.shift[dim];
    }
    return route;
}

template <int n, class D>
bool is_there(const Grid<n>&, const D& d, std::uint32_t, const Packet& packet) {
    return (packet.route & d.fields.magnitudes) == 0;
}

// Update the record of a packet that has begun to cross a link.
template <int n, class D>
void go_on(const Grid<n>&, D& d, std::uint32_t, const typename D::Router&, int output, Packet& packet) {
    packet.route -= 2u << d.fields.shift[d.port_of(output) >> 1];
}

// Record the ports through which the head of an input gets closer.
template <int n, class D>
void note_head(const Grid<n>& grid, D& d, std::uint32_t, typename D::Router& r, int i, const Packet& packet) {
    if constexpr (Grid<n>::at_once) {
        std::uint32_t hops[n];
        for (int dim = 0; dim < n; ++dim)
            hops[dim] = packet.route >> d.fields.shift[dim] & static_cast<std::uint32_t>(d.fields.mask[dim]);
        want_ports(r, i, hops);
        return;
    }
    const auto bit = D::S::only(i);
    const int dims = grid.dims(d.plan);
    for (int dim = 0; dim < dims; ++dim) {
        const std::uint32_t hops = packet.route >> d.fields.shift[dim] & static_cast<std::uint32_t>(d.fields.mask[dim]);
        const bool more = hops > 1, down = hops & 1;
        const auto plus = bit.where(more & !down), minus = bit.where(more & down);
        r.want[2 * dim] = (r.want[2 * dim] - bit) | plus;
        r.want[2 * dim + 1] = (r.want[2 * dim + 1] - bit) | minus;
    }
}

// The waiting inputs whose head gets closer through an output's port.
template <int n, class D>
typename D::S waiting_for(const Grid<n>&, const D& d, const typename D::Router& r, int output) {
    return r.wait & r.want[d.port_of(output)];
}

template <int n, class D>
void note_grant(const Grid<n>&, D&, typename D::Router&, int, int) {}

template <int n, class D>
void note_grants(const Grid<n>& grid, D& d, typename D::Router& r, const typename D::S& granted) {
    r.wait -= granted;
    if (grid.remembers(d.plan))
        for (int k = 0; k < grid.dims(d.plan); ++k) r.next[k] -= granted;
}

// --- requests -----------------------------------------------------------------------------------------

// `shortest`: the adaptive VC with fewest phits beyond, else escape.
template <class D>
int shortest_output(D& d, typename D::Router& r, int i, Cycle cycle) {
    const int vcs = d.plan.channels();
    int best = -1, least = 0;
    for (int output = 0; output < r.fed; ++output) {
        if (d.vc_of(output) == 0 || !r.want[d.port_of(output)].has(i) || !r.room.has(output)) continue;
        const int load = phits_beyond(r, output, cycle);
        if (best < 0 || load < least) best = output, least = load;
    }
    return best < 0 ? admitted(r, i, first_port(r, i) * vcs) : best;
}

// `random`: any adaptive VC with room, else escape.
template <class D>
int random_output(D& d, std::uint32_t router, typename D::Router& r, int i, Cycle cycle) {
    const int vcs = d.plan.channels();
    typename D::S candidates;
    for (int port = 0; port < d.plan.ports; ++port)
        if (r.want[port].has(i)) candidates |= D::S::range(port * vcs + 1, vcs - 1);
    candidates &= r.room;
    if (candidates.none()) return escape_output(d, r, i);
    const auto bits = d.chance.draw(Purpose::policy, router, i, cycle);
    return candidates.nth(below(bits, candidates.count()));
}

// `oblivious`: dimension order; the same VC straight on, else one drawn anew in every cycle.
template <class D>
int oblivious_output(D& d, std::uint32_t router, typename D::Router& r, int i, Cycle cycle) {
    const int vcs = d.plan.channels(), port = first_port(r, i);
    int vc = 0;
    if (i < r.fed && d.port_of(i) == port) {
        vc = d.vc_of(i);
    } else if (vcs > 1) {
        vc = below(d.chance.draw(Purpose::oblivious_vc, router, i, cycle), vcs);
    }
    return admitted(r, i, port * vcs + vc);
}

// The outputs that a waiting head may ever ask for here, whatever their state.
template <int n, class D>
typename D::S may_ask_for(const Grid<n>&, D& d, std::uint32_t, const typename D::Router& r, int i) {
    const int vcs = d.plan.channels(), port = first_port(r, i);
    if (d.plan.policy == static_cast<int>(Policy::oblivious))
        return i < r.fed && d.port_of(i) == port ? D::S::only(port * vcs + d.vc_of(i)) : D::S::range(port * vcs, vcs);
    auto outputs = D::S::only(port * vcs);
    for (int p = 0; p < d.plan.ports; ++p)
        if (vcs > 1 && r.want[p].has(i)) outputs |= D::S::range(p * vcs + 1, vcs - 1);
    return outputs;
}

// The first output, by port and virtual channel, that a waiting head may ever ask for here.
template <int n, class D>
int first_choice(const Grid<n>& grid, D& d, std::uint32_t router, const typename D::Router& r, int i) {
    return may_ask_for(grid, d, router, r, i).lowest();
}

// For all inputs at once, with at most one adaptive VC: visit the requests for every output that is free and has room.
// Return those of them that some waiting head could use: while there are any the router is looked at in every cycle,
// since a head that tried another alternative may come to them.
template <class D, class Dims, class Visit>
typename D::S visit_requests_by_sets(D& d, Dims dims, typename D::Router& r, Visit visit) {
    using L = typename D::S::Local;
    const int vcs = d.plan.channels();
    const L wait = r.wait, available = L(r.free) & L(r.room), bubble = r.bubble;
    Unset<L, 2 * D::Wiring::room_for_ports> requests;  // by output
    L escaping = wait, straight = wait, requested, useful;
    Alternatives<D> alternatives;
    if (vcs == 2) {
        alternatives = passing<D>(dims, r);
        escaping = try_alternatives(d, dims, r, alternatives);
    }
    for (int dim = 0; dim < dims; ++dim) {  // without branches, which would often be mispredicted
        const L both = L(r.want[2 * dim]) | L(r.want[2 * dim + 1]);
        for (int port = 2 * dim; port < 2 * dim + 2; ++port) {
            const int output = port * vcs;
            const L want = r.want[port];
            const L may = want & straight & (L::only(output) | L::all().where(bubble.has(output)));
            requests[output] = may & escaping;
            useful.insert_if(output, may.any());
            requested.insert_if(output, requests[output].any());
            if (vcs == 2) {
                requests[output + 1] = want & alternatives.of[dim];
                useful.insert_if(output + 1, (want & wait).any());
                requested.insert_if(output + 1, requests[output + 1].any());
            }
        }
        straight -= both;
    }
    (requested & available).for_each([&](int output) { visit(output, requests[output]); });
    return useful & available;
}

// Visit the requests of waiting heads for every output that is free and has some; return what `obtainable` is told.
template <int n, class D, class Visit>
typename D::S visit_requests(const Grid<n>& grid, D& d, std::uint32_t router, typename D::Router& r, Cycle cycle, Visit visit) {
    if (grid.remembers(d.plan)) catch_up(d, router, r, cycle);
    if constexpr (Grid<n>::at_once) {
        return visit_requests_at_once<n>(d, r, visit);
    } else if constexpr (Grid<n>::usual) {
        return visit_requests_by_sets(d, std::integral_constant<int, n>(), r, visit);
    } else {
        if (grid.by_sets(d.plan)) {  // loops of known length are unrolled
            const int dims = grid.dims(d.plan);
            if (dims == 2) return visit_requests_by_sets(d, std::integral_constant<int, 2>(), r, visit);
            if (dims == 3) return visit_requests_by_sets(d, std::integral_constant<int, 3>(), r, visit);
            return visit_requests_by_sets(d, dims, r, visit);
        }
        typename D::S requested;
        r.wait.for_each([&](int i) {
            int output = -1;
            switch (static_cast<Policy>(d.plan.policy)) {
                case Policy::smart: output = smart_output(d, router, r, i, cycle); break;
                case Policy::shortest: output = shortest_output(d, r, i, cycle); break;
                case Policy::random: output = random_output(d, router, r, i, cycle); break;
                default: output = oblivious_output(d, router, r, i, cycle);
            }
            d.ask(requested, output, i);
        });
        (requested & r.free).for_each([&](int output) { visit(output, d.asked[output]); });
        return {};
    }
}

template <int n, class R>
bool has_requests(const Grid<n>&, const R& r) {
    return r.wait.any();
}

// Whether a waiting head could get an output in the next cycle even if nothing else happens.
template <int n, class D>
bool obtainable(const Grid<n>& grid, D& d, std::uint32_t, const typename D::Router& r, const typename D::S& useful) {
    if (grid.by_sets(d.plan)) return (useful & r.free).any() & r.wait.any();
    const int vcs = d.plan.channels();
    const auto available = r.room & r.free;
    if (r.wait.none() || available.none()) return false;
    if (d.plan.policy == static_cast<int>(Policy::oblivious)) {
        bool some = false;
        r.wait.for_each([&](int i) {
            (may_ask_for(grid, d, 0, r, i) & available).for_each([&](int output) { some |= admitted(r, i, output) >= 0; });
        });
        return some;
    }
    typename D::S turned;
    for (int port = 0; port < d.plan.ports; ++port) {
        const auto wanting = r.want[port] & r.wait;
        const int escape = port * vcs;
        if (wanting.any()) {
            if ((available & D::S::range(escape + 1, vcs - 1)).any()) return true;
            if (available.has(escape)) {
                auto may = wanting - turned;
                if (!r.bubble.has(escape)) may &= D::S::only(escape);
                if (may.any()) return true;
            }
        }
        turned |= wanting;
    }
    return false;
}

}  // namespace netplace
