// Faults at a cycle (model: "Faults"): the fate of packets on links that go down, and of those without a route.
//
// All of it happens between two cycles. A packet is *crossing* from the cycle in which its header begins to cross a link
// to that in which its tail has left the FIFO before; its header may be several FIFOs further on.
#pragma once

#include <map>

#include "engine.hpp"

namespace netplace {

// What fails, and which packets can still go on.
struct Failure {
    const std::vector<std::int32_t>& dead;  // by router: it is down or cut off
    const std::vector<std::int32_t>& down;  // routers x ports: links that go down with this fault
    const std::vector<std::int32_t>& hops;  // switches x switches, on what remains; -1: no way leads there
    bool again;                             // packets on these links are sent again
};

template <class D>
class Outage {
    using Router = typename D::Router;

public:
    // `d` has the routing on what remains.
    Outage(D& domain, const Failure& its) : d(domain), failure(its) {
        withdraw_grants();
        cut_links();
        lose_what_has_no_way();
        begin_anew();
    }

    Losses losses;

private:
    D& d;
    const Failure& failure;
    std::set<Name> heads;                                 // FIFOs whose head is to come to the head anew
    std::map<Name, int> crossing;                         // FIFO whose head crosses a link: the output it holds
    std::vector<Name> in_order;                           // those FIFOs by output
    std::set<Name> restored;                              // of them: sent again

    // --- what there is ---------------------------------------------------------------------------------------

    Router& router_at(Name name) const { return d.router(d.router_of(name)); }
    int count(Name fifo) const { return router_at(fifo).fifo[d.input_of(fifo)].count; }
    auto& packet(Name fifo, int at) const {
        const Router& r = router_at(fifo);
        const int i = d.input_of(fifo);
        return packet_at(d, d.router_of(fifo), r, i, (r.fifo[i].head + at) % depth(d, r, i));
    }
    bool has_no_way(std::uint32_t target, std::uint32_t router) const {
        if (failure.dead[router] || failure.dead[target]) return true;
        const std::int64_t home = d.net.wiring.home[target];
        if (home < 0) return true;
        return router >= d.plan.first_switch && failure.hops[(router - d.plan.first_switch) * d.plan.switches + home] < 0;
    }
    Name beyond_of(Name fifo) const { return beyond(d, router_at(fifo), crossing.at(fifo)); }
    bool is_dying(Name fifo) const {
        return failure.down[d.router_of(fifo) * static_cast<std::size_t>(d.plan.ports) + d.port_of(crossing.at(fifo))];
    }

    // The FIFO and the place in it where the header of a crossing head is: -1 if a router on its way no longer holds the
    // packet, behind slow links.
    std::pair<Name, int> header(Name fifo) const {
        int at = 0;
        while (at == 0 && crossing.count(fifo)) {
            fifo = beyond_of(fifo);
            at = count(fifo) - 1;
        }
        return {fifo, at};
    }
    // The FIFO that the only packet of another is still leaving; the other itself if there is none.
    Name before(Name fifo) const {
        const Router& r = router_at(fifo);
        const int i = d.input_of(fifo);
        if (count(fifo) != 1 || i >= r.fed || !r.feed[d.port_of(i)].wired) return fifo;
        const Name output = feeder(d, r, i);
        const Router& up = router_at(output);
        if (up.free.has(d.input_of(output))) return fifo;
        const Name holder = d.name_of(d.router_of(output), up.output[d.input_of(output)].holder());
        const auto found = crossing.find(holder);
        return found != crossing.end() && found->second == d.input_of(output) ? holder : fifo;
    }

    // --- packets -----------------------------------------------------------------------------------------------

    // Take back the grants whose packet has not begun to cross its link, and note who waits or crosses.
    void withdraw_grants() {
        for (const Desk& desk : d.net.desks)
            for (std::size_t n = 0; n < desk.exposed_count; ++n) heads.insert(desk.exposed[n]);
        for (std::uint32_t router = 0; router < d.net.routers.size(); ++router) {
            Router& r = d.router(router);
            const auto wait = [&](int i) { heads.insert(d.name_of(router, i)); };
            (r.wait | r.homing).for_each(wait);
            r.held.for_each([&](int output) { wait(r.output[output].holder()); });
            r.free |= r.held;
            r.held = {};
            for (int output = 0; output < r.fed; ++output) {
                if (r.free.has(output) || !r.link[d.port_of(output)].wired) continue;
                in_order.push_back(d.name_of(router, r.output[output].holder()));
                crossing[in_order.back()] = output;
            }
        }
    }

    // Lose, or send again, what is crossing a link that goes down; of several, the first link counts.
    void cut_links() {
        for (const Name fifo : in_order) {
            if (!is_dying(fifo)) continue;
            bool first = true;
            for (Name up = fifo, next = before(up); first && next != up; next = before(up)) {
                first = !is_dying(next);
                up = next;
            }
            const auto [holder, at] = header(fifo);
            if (!first || at < 0 || packet(holder, at).route == nobody) continue;
            if (failure.again && !has_no_way(packet(fifo, 0).route, d.router_of(fifo))) {
                auto& gone = packet(holder, at);
                gone.route = gone.label = nobody;
                ++losses.again;
                restore(fifo);
            } else {
                lose(packet(holder, at));
            }
        }
        for (Desk& desk : d.net.desks) desk.tails.erase_if([&](Name fifo) { return restored.count(fifo) > 0; });
        for (const Name fifo : restored) crossing.erase(fifo);
        heads.insert(restored.begin(), restored.end());
    }
    void lose(TablePacket& packet) {
        ++losses.lost;
        losses.keys.insert(packet.label >> 2);
        packet.route = nobody;
    }
    // Let the head of a FIFO wait there as if it had not begun to cross.
    void restore(Name fifo) {
        Router& r = router_at(fifo);
        const int i = d.input_of(fifo), output = crossing.at(fifo), vcs = d.plan.channels();
        restored.insert(fifo);
        if (d.plan.crossbar > 0 || d.plan.classes > 1) --r.leaving_by[way_in(d, r, i)];
        if (i >= r.timed) r.times[i].left = -never;
        r.free.insert(output);
        r.idle |= D::S::range(d.port_of(output) * vcs, vcs);
    }

    // Lose packets in routers that are down and to nodes to which no way leads, wherever their header is.
    void lose_what_has_no_way() {
        for (std::uint32_t router = 0; router < d.net.routers.size(); ++router) {
            const Router& r = d.router(router);
            const int inputs = r.fed + (router < d.plan.nodes ? d.plan.injectors_of_node() : 0);
            for (int i = 0; i < inputs; ++i) {
                const Name fifo = d.name_of(router, i);
                for (int at = static_cast<int>(crossing.count(fifo)); at < count(fifo); ++at) {
                    TablePacket& its = packet(fifo, at);
                    if (its.route != nobody && has_no_way(its.route, router)) lose(its);
                }
            }
        }
    }

    // Let every packet choose its way anew from where it is, and every router look at all its heads.
    void begin_anew() {
        for (TablePacket& each : d.net.packets) each.trip = 0;
        for (Desk& desk : d.net.desks) desk.exposed_count = 0;
        for (const Name fifo : heads) {
            Desk& desk = d.net.desk_of(d.router_of(fifo));
            desk.exposed[desk.exposed_count++] = fifo;
        }
        for (std::uint32_t router = 0; router < d.net.routers.size(); ++router) {
            Router& r = d.router(router);
            r.wait = r.homing = r.wanted = {};
            for (int output = 0; output < r.fed; ++output) r.output[output].waiting = 0;
            Desk& desk = d.net.desk_of(router);
            desk.agenda[1 - desk.side].bits().add_if(router, true);
        }
    }
};

}  // namespace netplace
