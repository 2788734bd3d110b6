// The router of a wiring behind the common interface.
//
// A wiring is `tuned` if it serves only the commonest settings: its loops are inlined whole, which takes the compiler
// ten seconds each; what a loop rarely does is marked `noinline`. All other settings run in its general sibling, which
// alone explains waiting: each loop that does is compiled twice.
#pragma once

#include <stdexcept>

#include "faults.hpp"
#include "setup.hpp"

namespace netplace {

// Take over a routing: checked, so that no packet leaves the tables.
template <int words, bool plain>
void read_routing(Table<words, plain>& table, const Description& description, const Layout& layout);  // table.cpp

// Let threads simulate a network that is cut: grid_domains.cpp, tree_domains.cpp, table_domains.cpp.
template <class W, bool explains>
Exit run_domains(Network<W>& network, Cycle until);

template <class W>
class NetworkOf final : public AnyNetwork {
    using S = typename W::Router::S;
    static constexpr bool flat = !W::usual;
    // Number of routers, or bytes of a network of any wiring, from which prefetching pays off.
    static constexpr std::int64_t large = 2048, large_bytes = 1 << 18;

public:
    NetworkOf(const Description& description, W wiring) : layout_(description) {
        const Plan& plan = description.plan;
        static_cast<Plan&>(net_.plan) = plan;
        net_.wiring = std::move(wiring);
        if constexpr (flat) {
            make_routers(net_.routers, layout_, plan, net_.wiring.compares_loads(plan));
        } else {
            net_.routers.assign(static_cast<std::size_t>(plan.routers));
            net_.carries.assign(static_cast<std::size_t>(plan.routers * plan.ports), 0);
        }
        if (plan.explain) allocate(net_.waits, layout_);
        wire(net_, description, layout_);
        if constexpr (W::is_table) rank_links(net_, description);
        net_.packets.assign(static_cast<std::size_t>(layout_.first_slot.back()));
        net_.nodes.assign(static_cast<std::size_t>(plan.nodes));
        net_.emptied.assign(static_cast<std::size_t>(plan.nodes * plan.injectors), -1);
        for (std::int64_t i = 0; i < std::max<std::int64_t>(plan.ports * plan.vcs, 1); ++i) {
            net_.port_of.push_back(static_cast<std::uint16_t>(i / plan.vcs));
            net_.vc_of.push_back(static_cast<std::uint16_t>(i % plan.vcs));
        }
        const auto domains = static_cast<std::size_t>(plan.domains);
        net_.asked.assign(domains * static_cast<std::size_t>(Domain<W>::asked_room(plan)));
        const bool counts_phits = plan.injectors > 1 || plan.arbiter == static_cast<int>(Arbiter::longest);
        if (is_large()) {
            net_.ahead = W::is_table ? 4 : 8;
            net_.behind = plan.explain || (!W::is_table && (counts_phits || net_.wiring.compares_loads(plan))) ? 0 : net_.ahead;
        }
        net_.desks = std::vector<Desk>(domains);
        std::vector<std::size_t> routers(domains), inputs(domains);
        if (domains > 1) {
            const auto& owner = description.array("owner", plan.routers, 0, plan.domains - 1);
            net_.owner.assign(owner.begin(), owner.end());
            net_.borders = std::vector<Border>(2 * domains * domains);
        }
        for (std::size_t n = 0; n < net_.routers.size(); ++n) {
            const std::size_t its = domains > 1 ? net_.owner[n] : 0;
            routers[its] += 1;
            inputs[its] += static_cast<std::size_t>(layout_.inputs[n]);
        }
        for (std::size_t n = 0; n < domains; ++n) {
            Desk& desk = net_.desks[n];
            desk.exposed.assign(inputs[n] + 1);
            desk.deciding.assign(routers[n]);
            desk.agenda[0] = desk.agenda[1] = Agenda(net_.routers.size());
            desk.timers = Timers(static_cast<std::size_t>(plan.nodes));
            set_calendars(net_, desk, 0);
        }
    }

    template <class Visit>
    void for_each_router(Visit visit) {
        for (std::size_t n = 0; n < net_.routers.size(); ++n) visit(n, net_.routers[n]);
    }

    Hosts& hosts() override { return net_; }
    const Plan& plan() const override { return net_.plan; }
    Exit run(Cycle until) override {
        Desk& desk = net_.desks.front();
        const bool is_cut = net_.desks.size() > 1;
        if constexpr (!W::tuned) {
            if (net_.plan.explain) return is_cut ? run_domains<W, true>(net_, until) : run_domain<Domain<W, true>>(net_, desk, until);
        }
        if (is_cut) return run_domains<W, false>(net_, until);
        if constexpr (W::tuned || !W::is_table) return run_inlined(net_, desk, until);
        return run_domain<Domain<W>>(net_, desk, until);
    }

    Totals totals() const override {
        Totals all;
        Delays packets, messages;
        for (const Desk& desk : net_.desks) {
            all.created += desk.created;
            all.delivered += desk.delivered;
            all.gone += desk.gone;
            all.events += desk.events;
            all.last_delivery = std::max(all.last_delivery, desk.last_delivery);
            packets += desk.packet_delays;
            messages += desk.message_delays;
        }
        all.packet_delay = packets.sum, all.message_delay = messages.sum;
        all.packet_delays = std::move(packets.count), all.message_delays = std::move(messages.count);
        return all;
    }

    void reset_totals() override {
        for (Desk& desk : net_.desks) {
            desk.packet_delays.reset();
            desk.message_delays.reset();
            desk.events = 0;
            desk.last_delivery = -1;
        }
        for (auto& r : net_.routers)
            for (int port = 0; port < r.fed / channels(); ++port) r.link[port].crossed = 0;
        std::fill(net_.carries.begin(), net_.carries.end(), 0);
        if (!net_.plan.explain) return;
        charge();
        reset_waiting(net_);
    }

    Waited waiting() override {
        charge();
        const std::int64_t jobs = net_.jobs.started, ports = net_.plan.ports + 1;
        Waited told{std::vector<std::int64_t>(static_cast<std::size_t>((jobs + 1) * (jobs + 1))),
                    std::vector<std::int64_t>(static_cast<std::size_t>(net_.plan.routers * ports * 2))};
        const auto place = [&](std::size_t owner) { return owner == 0 ? jobs : static_cast<std::int64_t>(owner) - 1; };
        told.waited = net_.now() * waiting_now(net_);
        for (const Desk& desk : net_.desks) {
            const auto& cycles = desk.charges.cycles;
            told.waited += desk.charges.waited;
            for (std::size_t victim = 0; victim < cycles.size(); ++victim)
                for (std::size_t culprit = 0; culprit < cycles[victim].size(); ++culprit)
                    told.by_job[place(victim) * (jobs + 1) + place(culprit)] += cycles[victim][culprit];
        }
        for_each_way([&](std::size_t at, std::size_t way) {
            told.by_link[2 * at] = net_.waits.way[way].for_own;
            told.by_link[2 * at + 1] = net_.waits.way[way].for_others;
        });
        return told;
    }

    void watch(std::int64_t job) override {
        if (job < -1 || job >= net_.jobs.started) throw std::invalid_argument("watch: job " + std::to_string(job) + ": no such job");
        charge();
        for (Desk& desk : net_.desks) desk.charges.watch(static_cast<std::int32_t>(job + 1));
    }

    std::map<std::int64_t, std::vector<std::int64_t>> watched() override {
        charge();
        std::map<std::int64_t, std::vector<std::int64_t>> told;
        for (const Desk& desk : net_.desks) {
            for (const auto& [owner, cycles] : desk.charges.by_way) {
                auto& spread = told[owner == Charges::others ? -2 : owner - 1];
                spread.resize(static_cast<std::size_t>(net_.plan.routers * (net_.plan.ports + 1)));
                for_each_way([&, &counts = cycles](std::size_t at, std::size_t way) { spread[at] += counts[way]; });
            }
        }
        return told;
    }

    std::vector<std::int64_t> link_packets() const override {
        std::vector<std::int64_t> packets(static_cast<std::size_t>(net_.plan.routers * net_.plan.ports));
        for (std::size_t n = 0; n < net_.routers.size(); ++n)
            for (int port = 0; port < net_.routers[n].fed / channels(); ++port) {
                const std::size_t at = n * static_cast<std::size_t>(net_.plan.ports) + port;
                packets[at] = net_.routers[n].link[port].crossed + (flat ? 0 : std::int64_t{net_.carries[at]} << 16);
            }
        return packets;
    }

    std::vector<std::int64_t> still_crossing() const override {
        std::vector<std::int64_t> cycles(static_cast<std::size_t>(net_.plan.routers * net_.plan.ports));
        const auto tail = [&](Cycle due, Name name) {
            const auto& r = net_.routers[Domain<W>::router_of(name)];
            const auto& fifo = r.fifo[Domain<W>::input_of(name)];
            if (fifo.output >= fifo.nowhere) return;
            auto& left = cycles[Domain<W>::router_of(name) * static_cast<std::size_t>(net_.plan.ports) + fifo.output / channels()];
            left = std::max(left, due - net_.now());
        };
        for (const Desk& desk : net_.desks) desk.tails.for_each(desk.now + 1, tail);
        return cycles;
    }

    std::vector<BlockedFifo> blocked() override {
        std::vector<BlockedFifo> heads;
        Domain<W> domain(net_, net_.desks.front());
        for (std::uint32_t router = 0; router < net_.routers.size(); ++router) {
            auto& r = net_.routers[router];
            S home;
            if constexpr (flat) home = r.homing;
            (r.wait | home).for_each([&](int i) {
                BlockedFifo head{router, i, std::min<int>(r.fifo[i].count, net_.plan.fifo_depth()), {}};
                if (!home.has(i))
                    may_ask_for(net_.wiring, domain, router, r, i).for_each([&](int output) {
                        const Name to = beyond(domain, r, output);
                        if (r.link[domain.port_of(output)].beyond != 0 || is_wired(r, domain.port_of(output)))
                            head.wants.emplace_back(Domain<W>::router_of(to), Domain<W>::input_of(to));
                    });
                heads.push_back(std::move(head));
            });
        }
        return heads;
    }

    Losses fail(const Description& routing, bool again) override {
        if constexpr (W::is_table) {
            const Plan& plan = routing.plan;
            if (!plan.has_routing_of(net_.plan)) throw std::invalid_argument("faults: the routing is of another network");
            routing.check();
            const auto& dead = routing.array("dead", plan.routers, 0, 1);
            const auto& down = routing.array("down", plan.routers * plan.ports, 0, 1);
            const auto& hops = routing.array("hops", plan.switches * plan.switches, -1, 1 << 30);
            net_.wiring.take_routing([&](W& table) {
                read_routing(table, routing, layout_);
                rank_links(net_, routing);
            });
            static_cast<Plan&>(net_.plan) = plan;
            charge();
            Domain<W> domain(net_, net_.desks.front());
            Losses losses = std::move(Outage<Domain<W>>(domain, {dead, down, hops, again}).losses);
            if constexpr (!W::tuned) {
                if (plan.explain) wait_anew(domain);
            }
            return losses;
        }
        throw std::invalid_argument("faults: this router has none");
    }

    void pace(const Description& links) override {
        if constexpr (W::is_table) {
            set_pace(net_, links);
            for (Desk& desk : net_.desks) set_calendars(net_, desk, net_.now());
        }
    }

    std::vector<std::vector<std::int16_t>> pointers() const override {
        std::vector<std::vector<std::int16_t>> told(4);
        for (const auto& r : net_.routers) {
            for (int output = 0; output < r.fed; ++output) told[0].push_back(r.output[output].turn);
            if constexpr (flat) {
                told[1].push_back(static_cast<std::int16_t>(r.turn_home));
                told[1].push_back(static_cast<std::int16_t>(r.schedule_home));
            } else {
                told[1].resize(told[1].size() + 2);  // consumption takes no turns: as the general router says then
            }
            for (int port = 0; port < r.fed / channels(); ++port) {
                told[2].push_back(r.link[port].turn);
                if constexpr (flat)
                    for (int c = 0; r.class_turn && c < net_.plan.classes; ++c)
                        told[3].push_back(static_cast<std::int16_t>(r.class_turn[port * net_.plan.classes + c]));
            }
        }
        return told;
    }

    void set_pointers(const std::vector<std::vector<std::int16_t>>& given) override {
        for (const auto& r : net_.routers)  // who holds an output is told by its pointer
            for (int output = 0; output < r.fed; ++output)
                if (is_wired(r, output / channels()) && !r.free.has(output))
                    throw std::invalid_argument("residue: packets are in flight");
        const auto mine = pointers();
        for (std::size_t n = 0; n < mine.size(); ++n)
            if (given.size() != mine.size() || given[n].size() != mine[n].size())
                throw std::invalid_argument("residue: pointers are not of such a network");
        std::size_t at[4] = {};
        const auto next = [&](int which, std::int64_t most) {
            const std::int16_t pointer = given[which][at[which]++];
            if (pointer < 0 || pointer > most)
                throw std::invalid_argument("residue: pointer " + std::to_string(pointer) + " is not between 0 and " +
                                            std::to_string(most));
            return pointer;
        };
        const std::int64_t turns = turns_of_schedule(), vcs = net_.plan.vcs / net_.plan.classes;
        for (auto& r : net_.routers) {
            const std::int64_t inputs = r.fed + net_.plan.injectors;
            for (int output = 0; output < r.fed; ++output)
                r.output[output].turn = static_cast<std::uint16_t>(next(0, inputs));
            const auto turn_home = next(1, inputs), schedule_home = next(1, std::max<std::int64_t>(turns - 1, 0));
            if constexpr (flat) {
                r.turn_home = static_cast<std::uint16_t>(turn_home);
                r.schedule_home = static_cast<std::uint16_t>(schedule_home);
            }
            for (int port = 0; port < r.fed / channels(); ++port) {
                const std::int64_t most = net_.plan.classes > 1 ? std::max<std::int64_t>(turns - 1, 0) : vcs - 1;
                r.link[port].turn = static_cast<decltype(r.link[port].turn)>(next(2, most));
                if constexpr (flat)
                    for (int c = 0; r.class_turn && c < net_.plan.classes; ++c)
                        r.class_turn[port * net_.plan.classes + c] = static_cast<std::uint16_t>(next(3, vcs - 1));
            }
        }
    }

private:
    int channels() const { return net_.plan.channels(); }
    bool is_large() const {
        if constexpr (!W::is_table) return net_.plan.routers >= large;
        if constexpr (W::is_table) {
            const auto& table = net_.wiring.ports;
            const std::size_t bytes = net_.routers.bytes() + net_.packets.bytes() + table.size() * sizeof(table[0]);
            return static_cast<std::int64_t>(bytes) >= large_bytes;
        }
    }
    std::int64_t turns_of_schedule() const {
        if constexpr (W::is_table) return static_cast<std::int64_t>(net_.wiring.schedule.size());
        return 0;
    }
    template <class R>
    bool is_wired(const R& r, int port) const {
        if constexpr (flat) return r.link[port].wired;
        return (net_.routers[Domain<W>::router_of(r.link[port].beyond)].fed > 0) && r.link[port].beyond != 0;
    }
    // Charge all waiting up to now; between two cycles, so that it does not matter at which desk.
    void charge() {
        if constexpr (!W::tuned) {
            Domain<W> domain(net_, net_.desks.front());
            charge_everything(domain, net_.now());
        }
    }
    // Visit all links, and each router's consumption, as (place by router and port, where its consumption is the last; way).
    template <class Visit>
    void for_each_way(Visit visit) const {
        const auto ports = static_cast<std::size_t>(net_.plan.ports);
        for (std::size_t n = 0; n < net_.waits.at.size(); ++n) {
            const std::size_t own = net_.waits.at[n].consumption;
            visit(n * (ports + 1) + ports, own);
            for (std::size_t port = 0; port < static_cast<std::size_t>(layout_.ports[n]); ++port)
                visit(n * (ports + 1) + port, own + 1 + port);
        }
    }
    Layout layout_;
    Network<W> net_;
};

}  // namespace netplace
