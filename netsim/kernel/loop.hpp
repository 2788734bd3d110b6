// The cycle (model: "A cycle"): due events, actions of tasks, decisions of routers.
//
// Each cycle has two phases. Phase 1 applies due events, which commute. In phase 2, each router decides from its own
// state, and others see a grant from the next cycle on. So the order of visits has no effect.
#pragma once

#include "arbiters.hpp"
#include "links.hpp"
#include "prefetch.hpp"
#include "tasks.hpp"

namespace netplace {

// --- decisions of a router -----------------------------------------------------------------------------------

// The heads that are at their destination, of the class that a link would serve next.
template <class D>
typename D::S consumable(const D& d, typename D::Router& r) {
    const auto& plan = d.plan;
    if constexpr (D::Wiring::is_table) {
        const auto& schedule = d.net.wiring.schedule;
        const int turns = static_cast<int>(schedule.size()), own = d.net.wiring.own_vcs(plan);
        const int count = turns > 0 ? turns : static_cast<int>(plan.classes);
        if (plan.classes == 1) return r.homing;
        for (int n = 0; n < count; ++n) {
            const int begin = r.schedule_home, turn = begin + n < count ? begin + n : begin + n - count;
            const int number = turns > 0 ? schedule[turn] : turn;
            typename D::S heads;
            r.homing.for_each([&](int i) { heads.insert_if(i, d.vc_of(i) / own == number); });
            if (heads.none()) continue;
            if (turns > 0) r.schedule_home = static_cast<std::uint16_t>(turn + 1 == count ? 0 : turn + 1);
            return heads;
        }
    }
    return r.homing;
}

// With `single` consumption, consume one of the packets that are at their destination.
template <class D>
[[gnu::noinline]] void consume_one(D& d, std::uint32_t router, typename D::Router& r, Cycle cycle) {
    if (r.homing.none() || r.consuming) return;
    const auto requests = consumable(d, r);
    const int i = chosen(d, router, r, requests, r.turn_home, r.fed, cycle);
    if constexpr (D::Wiring::is_table) {
        if (d.plan.marks > 0) mark_if_congested(d, router, r, i, requests, r.freed[d.plan.ports] == cycle);
    }
    if constexpr (D::explains) end_wait(d, router, r, i, consumption, d.plan.packet_phits(), cycle);
    r.homing.erase(i);
    r.consuming = true;
    r.turn_home = static_cast<std::uint16_t>(i + 1);
    leave_home(d, router, r, i, cycle);
}

// Grant an output to one of its requests, until the tail has left. Returns the input.
template <class D>
int grant(D& d, std::uint32_t router, typename D::Router& r, int output, const typename D::S& requests, Cycle cycle) {
    auto& out = r.output[output];
    const int i = chosen(d, router, r, requests, out.turn, output, cycle);
    if constexpr (D::Wiring::is_table) {
        if (d.plan.marks > 0) {
            const bool in_use = !r.idle.has(output) || r.freed[d.port_of(output)] == cycle;
            mark_if_congested(d, router, r, i, requests, in_use);
        }
    }
    if constexpr (D::explains) wait_for_link(d, router, i, output, cycle);
    r.fifo[i].output = static_cast<std::uint16_t>(output);
    out.turn = static_cast<std::uint16_t>(i + 1);
    note_grant(d.net.wiring, d, r, i, output);
    return i;
}

// Run phase 2 of `cycle` for a router.
template <class D>
void decide(D& d, std::uint32_t router, Cycle cycle) {
    using W = typename D::Wiring;
    auto& r = d.router(router);
    if constexpr (!W::usual) {
        if (d.plan.consumes_one()) consume_one(d, router, r, cycle);
    }
    if (has_requests(d.net.wiring, r)) {
        typename D::S::Local inputs, outputs;
        const auto useful = visit_requests(d.net.wiring, d, router, r, cycle, [&](int output, const auto& requests) {
            const int i = grant(d, router, r, output, requests, cycle);
            outputs.insert(output);
            inputs.insert(i);
            return i;
        });
        if (W::is_table || outputs.any()) {
            r.free -= outputs;
            r.held |= outputs;
            note_grants(d.net.wiring, d, r, inputs);
        }
        d.look_next_if(router, obtainable(d.net.wiring, d, router, r, useful));
    }
    if constexpr (requires { r.time; }) r.time = static_cast<std::uint32_t>(cycle) + 1;
    if constexpr (W::is_table) {
        if (d.plan.crossbar > 0 || d.plan.classes > 1) {
            serve_through_crossbar(d, router, r, cycle);
            if constexpr (D::explains) park(d, router, r, cycle);
            return;
        }
    }
    serve_links(d, router, r);
    if constexpr (D::explains) park(d, router, r, cycle);
}

// --- phases ----------------------------------------------------------------------------------------------------

// Apply what completed in the cycle before `cycle`; new heads are appended to `exposed`.
template <class D>
void fall_due(D& d, Cycle cycle) {
    using W = typename D::Wiring;
    const auto ahead = static_cast<std::size_t>(d.ahead);
    const std::size_t entering = d.desk.entering.size();
    for (std::size_t n = 0; n < entering; ++n) {
        if (ahead) {
            fetch_fifo(d, d.desk.entering[std::min(n + 2 * ahead, entering - 1)]);
            const Name next = d.desk.entering[std::min(n + ahead, entering - 1)];
            if constexpr (W::is_table) {
                fetch_parts(d, next);
            } else {
                fetch_feeder(d, next);
            }
        }
        enter(d, d.desk.entering[n], cycle);
    }
    d.desk.entering.clear();
    if constexpr (!W::usual) {
        if (d.desk.headers.pending()) {
            for (Name name : d.desk.headers.due(cycle)) header_arrives(d, name);
            d.desk.headers.done(cycle);
        }
    }
    if constexpr (W::is_table) late_news(d, cycle);
    auto& tails = d.desk.tails.due(cycle);
    const std::size_t count = tails.size();
    for (std::size_t n = 0; n < count; ++n) {
        if (ahead) {
            if constexpr (W::is_table) {
                fetch_fifo(d, tails[std::min(n + 4 * ahead, count - 1)]);
                fetch_parts(d, tails[std::min(n + 3 * ahead, count - 1)]);
                fetch_known(d, tails[std::min(n + ahead, count - 1)]);
            } else {
                fetch_fifo(d, tails[std::min(n + 2 * ahead, count - 1)]);
            }
            fetch_feeder(d, tails[std::min(n + (W::is_table ? 2 : 1) * ahead, count - 1)]);
        }
        tail_leaves(d, tails[n], cycle);
    }
    if (count > 0) d.quiet = cycle;
    d.desk.tails.done(cycle);
    d.desk.events += static_cast<std::int64_t>(entering + count);
}

// Delayed news: room beyond links, packets that have arrived or are marked, the end of a wait.
template <class D>
[[gnu::noinline]] void late_news(D& d, Cycle cycle) {
    if (!d.plan.fabric) return;
    d.desk.heard = !(d.desk.credits.none_in(cycle) && d.desk.acks.none_in(cycle) && d.desk.notices.none_in(cycle));
    for (Name name : d.desk.credits.due(cycle)) room_is_known(d, feeder(d, d.router(d.router_of(name)), d.input_of(name)));
    d.desk.credits.done(cycle);
    for (std::uint32_t pair : d.desk.acks.due(cycle)) acknowledge(d, pair);
    d.desk.acks.done(cycle);
    for (std::uint32_t pair : d.desk.notices.due(cycle)) slow_down(d.net.wiring.pace[pair], d.plan, cycle);
    d.desk.notices.done(cycle);
    for (std::uint32_t node : d.desk.wakes.due(cycle)) try_again(d, static_cast<std::int32_t>(node));
    d.desk.wakes.done(cycle);
}

// Choose the way of each packet that has become head, if the routing has a choice.
template <class D>
void choose_ways(D& d, Cycle cycle) {
    if constexpr (D::Wiring::is_table) {
        if (d.plan.choice == static_cast<int>(Choice::table)) return;
        for (std::size_t n = 0; n < d.exposed_count; ++n) {
            if (d.ahead) fetch_way(d, d.exposed, n, d.exposed_count);
            choose_way(d.net.wiring, d, d.exposed[n], cycle);
        }
    }
}

// Expose all packets that have become heads to their routers.
template <class D>
void expose_all(D& d, Cycle cycle) {
    const std::size_t count = d.exposed_count, ahead = static_cast<std::size_t>(d.ahead);
    for (std::size_t n = 0; n < count; ++n) {
        if (ahead) {
            if constexpr (D::Wiring::is_table) {
                fetch_way(d, d.exposed, n, count);
            } else {
                fetch_fifo(d, d.exposed[std::min(n + 2 * ahead, count - 1)]);
                const Name name = d.exposed[std::min(n + ahead, count - 1)];
                fetch(&head_of(d, d.router_of(name), d.router(d.router_of(name)), d.input_of(name)));
            }
        }
        expose(d, d.exposed[n], cycle);
    }
    d.exposed_count = 0;
}

// Let the routers on the agenda of `cycle` decide, then let packets leave.
template <class D>
void decide_all(D& d, Cycle cycle) {
    const auto ahead = static_cast<std::size_t>(d.ahead), behind = static_cast<std::size_t>(d.behind);
    const std::size_t count = d.desk.agenda[1 - d.side].take(d.desk.deciding.data());
    std::size_t started = 0;
    for (std::size_t n = 0; n < count; ++n) {
        if (n + ahead < count && ahead) fetch_router(d, d.desk.deciding[n + ahead]);
        if constexpr (D::Wiring::is_table) {
            if (n + ahead / 2 < count && ahead) fetch_may(d, d.desk.deciding[n + ahead / 2]);
        }
        decide(d, d.desk.deciding[n], cycle);
        while (behind && started + behind < d.desk.starting.size()) {
            if constexpr (D::Wiring::is_table) fetch_crossing(d, d.desk.starting[started + behind / 2]);
            start(d, d.desk.starting[started++], cycle);
        }
    }
    for (; started < d.desk.starting.size(); ++started) start(d, d.desk.starting[started], cycle);
    d.desk.starting.clear();
    d.desk.events += static_cast<std::int64_t>(count);
}

// Run the tasks that act in `cycle`.
template <class D>
void let_tasks_act(D& d, Cycle cycle) {
    const int side = 1 - d.side;
    d.desk.timers.take_due(cycle, [&](std::uint32_t node) { d.act_now(static_cast<std::int32_t>(node)); });
    auto& acting = d.desk.acting[side];
    const std::size_t ahead = static_cast<std::size_t>(d.ahead);
    for (std::size_t n = 0; n < acting.size(); ++n) {
        if (ahead) {
            if constexpr (D::Wiring::is_table) {
                const auto soon = [&](std::size_t later) { return acting[std::min(n + later, acting.size() - 1)]; };
                fetch(&d.router(soon(2 * ahead)));
                fetch_injectors(d, soon(ahead));
            }
            fetch(&d.nodes[acting[std::min(n + ahead, acting.size() - 1)]]);
        }
        const auto node = static_cast<std::int32_t>(acting[n]);
        act(d, node, cycle);
        d.nodes[node].listed &= static_cast<std::uint8_t>(~(1 << side));
    }
    d.desk.events += static_cast<std::int64_t>(acting.size());
    acting.clear();
}

template <class D>
bool has_work(const D& d, Cycle cycle) {
    const int side = 1 - d.side;
    if constexpr (D::Wiring::is_table) {  // a packet behind a tail that has left may not be visible yet
        if (d.plan.fabric && (d.desk.heard || !d.desk.acting[d.side].empty())) return true;  // news belongs to its cycle
    }
    return !d.desk.acting[side].empty() || !d.desk.agenda[side].empty() || d.exposed_count != 0 || !d.desk.timers.none_in(cycle);
}

// The first cycle from `cycle` on in which anything falls due, or `never`.
template <class D>
Cycle next_event(const D& d, Cycle cycle) {
    Cycle due = std::min(d.desk.tails.next(cycle), d.desk.timers.next(cycle));
    if constexpr (!D::Wiring::usual) due = std::min(due, d.desk.headers.next(cycle));
    if constexpr (D::Wiring::is_table) {
        if (d.plan.fabric) {
            due = std::min({due, d.desk.credits.next(cycle), d.desk.acks.next(cycle), d.desk.notices.next(cycle), d.desk.wakes.next(cycle)});
        }
    }
    return due;
}

enum class Exit : int { reached, job_ended, idle, paused };

// Simulate from `cycle` up to `until`, to the end of a job, or until no event is left.
template <class D>
Exit simulate(D& d, Cycle& cycle, Cycle until) {
    while (true) {
        if (!has_work(d, cycle)) {
            const Cycle due = next_event(d, cycle);
            if (due == never) return Exit::idle;
            cycle = std::min(due, until);
            if (due <= until) fall_due(d, cycle);
            if (cycle < until && !has_work(d, cycle)) continue;  // it is not observed: skip the cycle
        }
        if (cycle >= until) return Exit::reached;
        let_tasks_act(d, cycle);
        choose_ways(d, cycle);
        expose_all(d, cycle);
        decide_all(d, cycle);
        ++cycle;
        d.turn();
        fall_due(d, cycle);
        if (d.desk.ended) {
            d.desk.ended = false;
            return Exit::job_ended;
        }
    }
}

template <class D, class W>
Exit run_domain(Network<W>& network, Desk& desk, Cycle until) {
    D domain(network, desk);
    Cycle cycle = desk.now;
    const Exit outcome = simulate(domain, cycle, until);
    domain.leave();
    desk.now = cycle;
    return outcome;
}

// The same with everything inlined, which compiles slowly; what is rare is marked `noinline` where it is defined, and
// long functions that GCC would call nevertheless `always_inline`.
template <class W>
[[gnu::flatten]] Exit run_inlined(Network<W>& network, Desk& desk, Cycle until) {
    return run_domain<Domain<W>>(network, desk, until);
}

}  // namespace netplace
