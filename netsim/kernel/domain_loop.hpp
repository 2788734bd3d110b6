// The cycle where a network is cut into domains: all run it side by side, each on its own routers and nodes.
//
// They meet twice a cycle: when all have decided, and when all that this completes has been applied. Within a phase no
// order of events matters, so the results are those of one thread. See docs/background/kernel.md.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <system_error>

#include "loop.hpp"
#include "barrier.hpp"

namespace netplace {

inline Said Neighbours<true>::meet(Said said) {
    board.meet(number, ++meetings, said);
    told = false;
    return board.of_all(meetings);
}

inline void Neighbours<true>::dawdle(std::uint32_t place) const {
    board.dawdle(number, meetings, place);
}

// Do what other domains have told of this one's routers and nodes before the last meeting, in `cycle`.
template <class D>
void take_news(D& d, Cycle cycle) {
    for (int teller = 0; teller < d.domains; ++teller) {
        List& words = d.border(d.meetings, teller, d.number).words;
        for (std::size_t n = 0; n < words.size(); n += 2) {
            const Name name = words[n + 1];
            const std::uint32_t more = words[n] >> news_bits;
            switch (static_cast<News>(words[n] & ((1u << news_bits) - 1))) {
                case News::header: {
                    const auto& r = d.router(d.router_of(name));
                    std::uint32_t far = 1;
                    if constexpr (!D::Wiring::usual) far = r.feed[d.port_of(d.input_of(name))].far;
                    approach(d, name, r, far, cycle);
                    break;
                }
                case News::emptying: tilt_output(d, name, -1, cycle); break;
                case News::emptied: tilt_output(d, name, 1, cycle); break;
                case News::no_room:
                    if constexpr (D::Wiring::counts_phits) lose_room(d, name, cycle);
                    break;
                case News::room: room_again(d, name, cycle); break;
                case News::try_again: try_again(d, static_cast<std::int32_t>(name)); break;
                case News::front_gone:
                    if constexpr (D::explains) front_is_gone(d, name, static_cast<std::int32_t>(more), cycle);
                    break;
                case News::spent: d.desk.open_messages.give(static_cast<std::int32_t>(name)); break;
            }
        }
        words.clear();
    }
}

// Meet when all that is due has been applied; return the first cycle in which something happens anywhere.
template <class D>
Said agree(D& d, Cycle cycle) {
    const Said all = d.meet({has_work(d, cycle) ? cycle : next_event(d, cycle), d.desk.ended, d.told});
    take_news(d, cycle);
    return all;
}

// As `simulate`, one domain of several.
template <class D>
Exit simulate_domain(D& d, Cycle& cycle, Cycle until) {
    while (true) {
        const Said all = agree(d, cycle);
        if (all.ended) {
            d.desk.ended = false;
            return Exit::job_ended;
        }
        if (all.due > cycle && all.told) continue;  // whose news may be work for another
        if (all.due == never) return Exit::idle;
        if (all.due > cycle) {
            cycle = std::min(all.due, until);
            if (all.due <= until) {
                fall_due(d, cycle);
                if (cycle < until) continue;  // nobody may learn of it
                agree(d, cycle);
            }
        }
        if (cycle >= until) return Exit::reached;
        let_tasks_act(d, cycle);
        d.dawdle(2);
        expose_all(d, cycle);
        d.dawdle(3);
        decide_all(d, cycle);
        d.meet();
        take_news(d, cycle);
        d.dawdle(4);
        ++cycle;
        d.turn();
        fall_due(d, cycle);
    }
}

// Everything is inlined, except where waiting is explained, as in `run`.
template <class D>
[[gnu::flatten]] Exit simulate_domain_inlined(D& d, Cycle& cycle, Cycle until) {
    return simulate_domain(d, cycle, until);
}

// Let a thread simulate each domain. They begin here and end here: a process that forks between two runs has no others.
template <class W, bool explains>
Exit run_domains(Network<W>& network, Cycle until) {
    const int domains = static_cast<int>(network.desks.size());
    Board board(domains, network.plan.dawdle != 0);
    std::vector<std::exception_ptr> faults(network.desks.size());
    Exit outcome = Exit::reached;
    const auto simulate_one = [&](int number) {
        Desk& desk = network.desks[static_cast<std::size_t>(number)];
        try {
            Domain<W, explains, true> domain(network, desk, {number, domains, network.owner.data(), network.borders.data(), board});
            Cycle cycle = desk.now;
            const Exit reason = explains ? simulate_domain(domain, cycle, until) : simulate_domain_inlined(domain, cycle, until);
            domain.leave();
            desk.now = cycle;
            if (number == 0) outcome = reason;
        } catch (const Abandoned&) {
        } catch (...) {
            faults[static_cast<std::size_t>(number)] = std::current_exception();
            board.abandon();
        }
    };
    std::vector<std::thread> others;
    try {
        for (int number = 1; number < domains; ++number) others.emplace_back(simulate_one, number);
        simulate_one(0);
    } catch (const std::system_error&) {
        const std::string count = std::to_string(domains), begun = std::to_string(others.size() + 1);
        faults.front() = std::make_exception_ptr(
            std::runtime_error("threads: " + count + " given, but the system begins no more than " + begun));
        network.torn = false;  // no cycle has begun
        board.abandon();
    }
    for (std::thread& other : others) other.join();
    for (const std::exception_ptr& fault : faults)
        if (fault) std::rethrow_exception(fault);
    return outcome;
}

}  // namespace netplace
