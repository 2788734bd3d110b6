// Networks of any wiring (model: "Networks of any wiring"): possible and actual requests of waiting heads.
#pragma once

#include "table.hpp"

namespace netplace {

// The level within its phase that a packet has on a link: 0 anew in another class.
inline int level_on(const Plan& plan, std::uint32_t trip, const Link& link) {
    const std::uint32_t came = trip >> kind_at & six_bits;
    if (plan.anew && came > 0 && link.kind + 1u != came) return 0;
    return trip >> level_at & six_bits;
}

// Which of the ports that the table names is a packet's own.
template <int words, bool plain, class D>
int own_port(const Table<words, plain>& table, const D& d, std::int64_t x, const typename Table<words, plain>::Port* entry, const TablePacket& packet) {
    const auto& plan = d.plan;
    int count = 0;
    while (count < plan.most && entry[count] >= 0) ++count;
    count = std::max(count, 1);
    if (plan.spread == static_cast<int>(Spread::destination))
        return static_cast<int>(static_cast<std::int64_t>(packet.route) / table.stride[x] % count);
    return below(d.chance.draw(Purpose::flow, x, origin(d, packet.label), packet.route), count);
}

template <class D>
int vc_of_flow(const D& d, const TablePacket& packet, int count) {
    return below(d.chance.draw(Purpose::vc_of_flow, origin(d, packet.label), packet.route, 0), count);
}

// Determine what a head may request: outputs in `may`, and which of them is on the escape channel.
template <int words, bool plain, class D>
void note_ways(const Table<words, plain>& table, D& d, std::uint32_t router, typename D::Router& r, int i, const TablePacket& packet) {
    using S = typename D::S;
    const auto& plan = d.plan;
    const int vcs = static_cast<int>(plan.vcs), own = table.own_vcs(plan);
    const int shift = class_of(d, packet.label) * own;
    S& may = r.may[i];
    may = {};
    if (plan.escapes) r.last_resort[i] = -1;
    // Where a packet may take any virtual channel of its class: the first, and how many.
    int any_vc = shift, any_count = own;
    if (plan.ordered) any_vc += vc_of_flow(d, packet, own), any_count = 1;
    if (router < plan.first_switch) {
        may = S::range(any_vc, any_count);
        return;
    }
    const std::int64_t x = router - plan.first_switch, home = table.home[packet.route];
    const bool homeward = packet.trip & to_home;
    if (homeward && home == x) {
        may = S::range(table.node_port[packet.route] * vcs + any_vc, any_count);
        return;
    }
    const auto* entry = table.entry(plan, x, homeward ? home : packet.trip >> via_at);
    // Whether the way home leads out of the network: to the compute node, or to its socket.
    const bool leaving = homeward && (x < plan.compute_from ? gate_of(table, plan, x, packet.route) == x
                                                            : table.end[x * plan.ports + std::max<int>(entry[0], 0)] == home);
    int first = 0, last = static_cast<int>(plan.most);
    if (plan.spread != static_cast<int>(Spread::least)) {
        first = own_port(table, d, x, entry, packet);
        last = first + 1;
    }
    int low = any_vc, count = any_count;  // leaving: by any, what lies behind stops for nobody
    const auto take_level = [&](int port) {
        int level = 0;
        if (!table.one_level) level = level_on(plan, packet.trip, r.link[port]) + (homeward ? static_cast<int>(plan.base) : 0);
        low = shift + table.low[level];
        count = table.high[level] - table.low[level];
        if (plan.ordered) low += vc_of_flow(d, packet, count), count = 1;
    };
    if (!leaving) take_level(std::max<int>(entry[first], 0));
    // The number of ports in an entry is unpredictable: of a short one, all are visited, without a branch.
    const bool is_short = plan.most <= 8;
    S firsts, outputs;
    for (int k = first; k < last && (is_short || entry[k] >= 0); ++k) {
        const int port = std::max<int>(entry[k], 0);
        firsts.insert_if(port * vcs, entry[k] >= 0);
        if (!plan.anew || leaving) continue;
        take_level(port);
        outputs |= firsts.runs(low, count);
        firsts = {};
    }
    outputs |= firsts.runs(low, count);
    if (plan.escapes && !leaving) {
        const int output = std::max<int>(entry[plan.most], 0) * vcs + shift;
        r.last_resort[i] = static_cast<std::int16_t>(output);
        outputs = outputs.where(!(packet.trip & escaped));
        outputs.insert(output);
    }
    may = outputs;
}

// Visit one output of each port that a head could request, the first VC there: `first_link` reads ranges of VCs of which a
// head may take all or none. Escape counts only if the head could not request its port otherwise.
template <class D, class Visit>
void visit_counted(const D& d, const typename D::Router& r, int i, Visit visit) {
    const int vcs = d.plan.channels();
    typename D::S rest = r.may[i];
    if (d.plan.escapes && r.last_resort[i] >= 0) {
        const int output = r.last_resort[i];
        rest.erase(output);
        if ((rest & D::S::range(d.port_of(output) * vcs, vcs)).none()) visit(output);
    }
    while (rest.any()) {
        const int output = rest.lowest();
        visit(output);
        rest -= D::S::range(d.port_of(output) * vcs, vcs);
    }
}

template <int words, bool plain, class D>
void note_head(Table<words, plain>& table, D& d, std::uint32_t router, typename D::Router& r, int i, TablePacket& packet) {
    if (d.plan.choice == static_cast<int>(Choice::table)) {
        const std::uint32_t trip = packet.trip & -std::uint32_t{i < r.fed};
        packet.trip = router >= d.plan.first_switch ? trip | to_home : trip;
    }
    note_ways(table, d, router, r, i, packet);
    r.wanted |= r.may[i];
    if (table.counts_heads(d.plan)) visit_counted(d, r, i, [&](int output) { ++r.output[output].waiting; });
}

// Update the record of a packet that has begun to cross a link.
template <int words, bool plain, class D>
[[gnu::always_inline]] inline void go_on(const Table<words, plain>& table, D& d, std::uint32_t router,
                                         const typename D::Router& r, int output, TablePacket& packet) {
    const auto& plan = d.plan;
    if (router < plan.first_switch) return;
    const Link& link = r.link[d.port_of(output)];
    if (link.rise < 0) return;
    if (!table.one_level) {
        const auto level = static_cast<std::uint32_t>(level_on(plan, packet.trip, link) + link.rise);
        packet.trip = (packet.trip & no_level) | level << level_at | static_cast<std::uint32_t>(link.kind + 1) << kind_at;
    }
    if (plan.escapes) {
        const int vc = d.vc_of(output);
        const bool escapes = plan.classes == 1 ? vc == 0 : vc % table.own_vcs(plan) == 0;
        packet.trip |= escaped & -std::uint32_t{escapes};
    }
}

// --- requests -----------------------------------------------------------------------------------------

// Of some outputs, at least one, those whose FIFO downstream is known to hold the fewest packets.
template <class R>
typename R::S least_occupied(const R& r, const typename R::S& outputs) {
    using S = typename R::S;
    if constexpr (requires { r.emptier; }) {
        S least = outputs;
        for (int packets = 2; packets >= 0; --packets) {
            const S emptier = outputs & r.emptier[packets];
            least = emptier | least.where(emptier.none());
        }
        return least;
    } else {
        if (outputs.single()) return outputs;
        int least = 1 << 30;
        S equal;
        outputs.for_each([&](int output) {
            const int known = r.output[output].known;
            if constexpr (S::capacity == S::width) {  // in one word, without branches that would be mispredicted
                equal = equal.where(known >= least);
            } else if (known < least) {
                equal = {};
            }
            least = std::min(known, least);
            equal.insert_if(output, known == least);
        });
        return equal;
    }
}

// The output that a head requests, of those that are ready: the least occupied, drawn among equals; escape. It may
// request at least one of them.
template <class D>
[[gnu::always_inline]] inline int best_option(D& d, std::uint32_t router, const typename D::Router& r, int i,
                                              const typename D::S& ready, Cycle cycle) {
    using S = typename D::S;
    S options = r.may[i] & ready;
    if (d.plan.escapes) {
        const int last_resort = r.last_resort[i];
        const S others = options - S::only(std::max(last_resort, 0)).where(last_resort >= 0);
        options = others | options.where(others.none());
    }
    const S equal = least_occupied(r, options);
    if (equal.single()) return equal.lowest();
    return equal.nth(below(d.chance.draw(Purpose::route, router, i, cycle), equal.count()));
}

template <int words, bool plain, class R>
bool has_requests(const Table<words, plain>&, const R& r) {
    return (r.free & r.room & r.wanted).any();
}

// Which heads have requests is unpredictable: they are found without a branch for each.
template <int words, bool plain, class D, class Visit>
[[gnu::always_inline]] inline typename D::S visit_requests(const Table<words, plain>&, D& d, std::uint32_t router,
                                                           typename D::Router& r, Cycle cycle, Visit visit) {
    using S = typename D::S;
    const S ready = r.free & r.room;
    if (r.wait.single()) {
        const int i = r.wait.lowest();
        visit(best_option(d, router, r, i, ready, cycle), S::only(i));
        r.wanted = {};
        return {};
    }
    S requesting, wanted;
    r.wait.for_each([&](int i) {
        const bool requests = (r.may[i] & ready).any();
        requesting.insert_if(i, requests);
        wanted |= r.may[i].where(!requests);
    });
    if (requesting.single()) {
        visit(best_option(d, router, r, requesting.lowest(), ready, cycle), requesting);
    } else {
        S requested, granted;
        requesting.for_each([&](int i) { d.ask(requested, best_option(d, router, r, i, ready, cycle), i); });
        requested.for_each([&](int output) { granted.insert(visit(output, d.asked[output])); });
        (requesting - granted).for_each([&](int i) { wanted |= r.may[i]; });
    }
    r.wanted = wanted;
    return {};
}

template <int words, bool plain, class D>
void note_grant(const Table<words, plain>& table, D& d, typename D::Router& r, int i, int) {
    if (table.counts_heads(d.plan)) visit_counted(d, r, i, [&](int output) { --r.output[output].waiting; });
}

template <int words, bool plain, class D>
void note_grants(const Table<words, plain>&, D&, typename D::Router& r, const typename D::S& granted) {
    r.wait -= granted;
}

template <int words, bool plain, class D>
typename D::S waiting_for(const Table<words, plain>&, const D&, const typename D::Router& r, int output) {
    return D::S::only(output) & r.wanted;  // stands for the heads that could ask for it
}

template <int words, bool plain, class D>
typename D::S may_ask_for(const Table<words, plain>&, D&, std::uint32_t, const typename D::Router& r, int i) {
    return r.may[i];
}

// The first output that a waiting head may request: on the escape channel only if there is no other; 0 if there is none.
template <int words, bool plain, class D>
int first_choice(const Table<words, plain>&, D& d, std::uint32_t, const typename D::Router& r, int i) {
    typename D::S outputs = r.may[i];
    if (outputs.none()) return 0;
    if (!d.plan.escapes) return outputs.lowest();
    if (r.last_resort[i] >= 0) outputs.erase(r.last_resort[i]);
    return outputs.any() ? outputs.lowest() : r.last_resort[i];
}

template <int words, bool plain, class D>
bool obtainable(const Table<words, plain>&, D&, std::uint32_t, const typename D::Router& r, const typename D::S&) {
    return (r.free & r.room & r.wanted).any();
}

}  // namespace netplace
