// The cycle of a network that is cut into domains, which run in parallel, each on its own routers and nodes.
//
// They meet twice per cycle: when all have decided, and when all resulting completions have been applied. Within a phase
// the order of events has no effect, so results equal those of one thread, and one thread can run all domains in turn.
// See docs/background/kernel.md.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <system_error>

#include "loop.hpp"
#include "barrier.hpp"

namespace netplace {

// The domains that a thread simulates: one of its own, or all of them in turn.
template <class D>
struct Crew {
    std::vector<D> domains;
    const int thread;
    Board& board;
    Stints& stints;
    const bool may_pause;
    std::uint32_t meetings = 0;

    // Meet the other threads, and return what all have published.
    Said meet(Said said = {}) {
        board.meet(thread, ++meetings, said);
        for (D& d : domains) d.has_met();
        return board.of_all(meetings);
    }
    bool would_pause() const { return may_pause && thread == 0 && stints.is_over(); }
    void dawdle(std::uint32_t place) const { board.dawdle(thread, meetings, place); }
};

// Apply the news of other domains about this one's routers and nodes from before the last meeting, in `cycle`.
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
Said agree(Crew<D>& crew, Cycle cycle, bool pause = false) {
    Said said{never, false, false, pause};
    for (D& d : crew.domains) said.join({has_work(d, cycle) ? cycle : next_event(d, cycle), d.desk.ended, d.told});
    const Said all = crew.meet(said);
    for (D& d : crew.domains) take_news(d, cycle);
    return all;
}

// As `simulate`, some domains of several.
template <class D>
Exit simulate_crew(Crew<D>& crew, Cycle& cycle, Cycle until) {
    auto& domains = crew.domains;
    // UGAL-G reads routers of other domains: after all have updated their room, and before any continues.
    const bool looks_around = D::Wiring::is_table && domains.front().plan.choice == static_cast<int>(Choice::ugal_g);
    while (true) {
        const Said all = agree(crew, cycle, crew.would_pause());
        if (all.ended) {
            for (D& d : domains) d.desk.ended = false;
            return Exit::job_ended;
        }
        if (all.due > cycle && all.told) continue;  // whose news may be work for another
        if (all.due == never) return Exit::idle;
        if (all.pause) return Exit::paused;
        if (all.due > cycle) {
            cycle = std::min(all.due, until);
            if (all.due <= until) {
                for (D& d : domains) fall_due(d, cycle);
                if (cycle < until) continue;  // it may not be observed
                agree(crew, cycle);
            }
        }
        if (cycle >= until) return Exit::reached;
        for (D& d : domains) let_tasks_act(d, cycle);
        crew.dawdle(2);
        if (looks_around) crew.meet();
        for (D& d : domains) choose_ways(d, cycle);
        if (looks_around) crew.meet();
        for (D& d : domains) expose_all(d, cycle);
        crew.dawdle(3);
        for (D& d : domains) decide_all(d, cycle);
        crew.meet();
        for (D& d : domains) take_news(d, cycle);
        crew.dawdle(4);
        ++cycle;
        for (D& d : domains) {
            d.turn();
            fall_due(d, cycle);
        }
    }
}

// The same with everything inlined.
template <class D>
[[gnu::flatten]] Exit simulate_crew_inlined(Crew<D>& crew, Cycle& cycle, Cycle until) {
    return simulate_crew(crew, cycle, until);
}

// Simulate up to `until`, or for a stint. Threads begin here and end here: a process that forks between two runs has no others.
template <class W, bool explains>
Exit run_stint(Network<W>& network, Cycle until) {
    using D = Domain<W, explains, true>;
    const bool dawdles = network.plan.dawdle != 0;  // tests of threads have threads
    const int domains = static_cast<int>(network.desks.size());
    const int threads = network.stints.in_turn() && !dawdles ? 1 : domains;
    Board board(threads, dawdles);
    std::vector<std::exception_ptr> faults(static_cast<std::size_t>(threads));
    Exit outcome = Exit::reached;
    const auto simulate_some = [&](int thread) {
        try {
            Crew<D> crew{{}, thread, board, network.stints, !dawdles};
            crew.domains.reserve(static_cast<std::size_t>(domains / threads));
            for (int n = thread; n < domains; n += threads)
                crew.domains.emplace_back(network, network.desks[static_cast<std::size_t>(n)],
                                          Neighbours<true>{n, domains, network.owner.data(), network.borders.data()});
            Cycle cycle = crew.domains.front().desk.now;
            Exit reason;
            if constexpr (W::tuned) {
                reason = simulate_crew_inlined(crew, cycle, until);
            } else {
                reason = simulate_crew(crew, cycle, until);
            }
            for (D& d : crew.domains) {
                d.leave();
                d.desk.now = cycle;
            }
            if (thread == 0) outcome = reason;
        } catch (const Abandoned&) {
        } catch (...) {
            faults[static_cast<std::size_t>(thread)] = std::current_exception();
            board.abandon();
        }
    };
    std::vector<std::thread> others;
    try {
        for (int thread = 1; thread < threads; ++thread) others.emplace_back(simulate_some, thread);
        simulate_some(0);
    } catch (const std::system_error&) {
        const std::string count = std::to_string(threads), begun = std::to_string(others.size() + 1);
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

// Simulate a network that is cut into domains, in stints of the faster kind.
template <class W, bool explains>
Exit run_domains(Network<W>& network, Cycle until) {
    const auto events = [&] {
        std::int64_t all = 0;
        for (const Desk& desk : network.desks) all += desk.events;
        return all;
    };
    while (true) {
        network.stints.begin(events());
        const Exit outcome = run_stint<W, explains>(network, until);
        network.stints.end(events());
        if (outcome != Exit::paused) return outcome;
    }
}

}  // namespace netplace
