// How a network is made from its description: routers, links, places for packets, tables.
#pragma once

#include <numeric>

#include "engine.hpp"

namespace netplace {

// Arrays that flat routers share, by router.
template <class S>
struct Shared {
    Array<Fifo> fifo;
    Array<Output> output;
    Array<Link> link;
    Array<Feed> feed;
    Array<S> want, next, may;
    Array<std::int16_t> last_resort, leaving_by;
    Array<std::uint32_t> load;
    Array<std::int32_t> slope;
    Array<Times> times;
    Array<std::int64_t> freed;
    Array<std::uint16_t> class_turn;

    template <class Archive>
    void transfer(Archive& archive) {
        archive(fifo, output, link, feed, want, next, may, last_resort, leaving_by, load, slope, times, freed, class_turn);
    }
};

// Where the inputs, outputs and ports of each router begin, and how many there are.
struct Layout {
    std::vector<std::int64_t> ports, fed, inputs;           // by router
    std::vector<std::int64_t> first_port, first_fed, first_input, first_slot;  // by router, and behind the last

    explicit Layout(const Description& description) {
        const Plan& plan = description.plan;
        const auto& given = description.array("ports_of", plan.routers, 0, plan.ports);
        ports.assign(given.begin(), given.end());
        for (std::int64_t router = 0; router < plan.routers; ++router) {
            fed.push_back(ports[router] * plan.vcs);
            inputs.push_back(fed.back() + (router < plan.nodes ? plan.injectors : 0));
        }
        first_port = sums(ports);
        first_fed = sums(fed);
        first_input = sums(inputs);
        std::vector<std::int64_t> slots;
        for (std::int64_t router = 0; router < plan.routers; ++router)
            slots.push_back(inputs[router] * plan.queue + (router < plan.nodes ? plan.injectors * plan.buffer : 0));
        first_slot = sums(slots);
    }

private:
    static std::vector<std::int64_t> sums(const std::vector<std::int64_t>& counts) {
        std::vector<std::int64_t> first(1, 0);
        for (std::int64_t count : counts) first.push_back(first.back() + count);
        return first;
    }
};

// Give each flat router its part of the shared arrays.
template <class R, class S>
void bind(Array<R>& routers, Shared<S>& shared, const Layout& layout, const Plan& plan, bool grid) {
    const auto part = [](auto& array, std::int64_t at) { return array.size() == 0 ? nullptr : array.data() + at; };
    const bool by_port = plan.switches == 0;  // `want` is by port on grids and trees
    for (std::size_t n = 0; n < routers.size(); ++n) {
        R& r = routers[n];
        r.fifo = part(shared.fifo, layout.first_input[n]);
        r.output = part(shared.output, layout.first_fed[n]);
        r.link = part(shared.link, layout.first_port[n]);
        r.feed = part(shared.feed, layout.first_port[n]);
        r.want = part(shared.want, by_port ? layout.first_port[n] : layout.first_fed[n]);
        r.next = grid ? part(shared.next, static_cast<std::int64_t>(n) * plan.dims) : nullptr;
        r.may = part(shared.may, layout.first_input[n]);
        r.last_resort = part(shared.last_resort, layout.first_input[n]);
        r.load = part(shared.load, layout.first_fed[n]);
        r.slope = part(shared.slope, layout.first_fed[n]);
        r.times = part(shared.times, layout.first_input[n]);
        r.freed = part(shared.freed, static_cast<std::int64_t>(n) * (plan.ports + 1));
        r.class_turn = part(shared.class_turn, layout.first_port[n] * plan.classes);
        r.leaving_by = part(shared.leaving_by, static_cast<std::int64_t>(n) * (plan.ports + plan.injectors));
    }
}

template <class S>
void allocate(Shared<S>& shared, const Layout& layout, const Plan& plan, bool compares_loads, bool counts_heads) {
    const auto inputs = static_cast<std::size_t>(layout.first_input.back());
    const auto outputs = static_cast<std::size_t>(layout.first_fed.back());
    const auto ports = static_cast<std::size_t>(layout.first_port.back());
    const auto routers = static_cast<std::size_t>(plan.routers);
    shared.fifo.assign(inputs, {});
    shared.output.assign(outputs, {});
    shared.link.assign(ports, {});
    shared.feed.assign(ports, Feed{0, 0, 1, false});
    if (plan.switches == 0) {
        shared.want.assign(ports, {});
        shared.next.assign(routers * static_cast<std::size_t>(plan.dims), {});
    } else {
        if (counts_heads) shared.want.assign(outputs, {});
        shared.may.assign(inputs, {});
        shared.last_resort.assign(inputs, -1);
    }
    if (compares_loads) {
        shared.load.assign(outputs, 0);
        shared.slope.assign(outputs, 0);
    }
    const auto arbiter = static_cast<Arbiter>(plan.arbiter);
    if (plan.injectors > 1 || arbiter == Arbiter::longest || arbiter == Arbiter::first_come)
        shared.times.assign(inputs, Times{});
    if (plan.marks > 0) shared.freed.assign(routers * static_cast<std::size_t>(plan.ports + 1), 0);
    if (plan.classes > 1) shared.class_turn.assign(ports * static_cast<std::size_t>(plan.classes), 0);
    if (plan.crossbar > 0 || plan.classes > 1)
        shared.leaving_by.assign(routers * static_cast<std::size_t>(plan.ports + plan.injectors), 0);
}

// Wire every output to the FIFO that it feeds, and that one to it.
template <class W>
void wire(Network<W>& net, const Description& description, const Layout& layout) {
    const Plan& plan = description.plan;
    const std::int64_t links = plan.routers * plan.ports;
    const auto& neighbor = description.array("neighbor", links, -1, plan.routers - 1);
    const auto& entry = description.array("entry", links, -1, plan.ports - 1);
    const bool slow = plan.switches > 0;
    const std::vector<std::int32_t> none;
    const auto& cycles = slow ? description.array("cycles", links, 0, 1 << 20) : none;
    const auto& delay = slow ? description.array("delay", links, 0, (1 << 30)) : none;
    const auto& lag = slow ? description.array("lag", links, 0, 1 << 30) : none;
    for (std::int64_t n = 0; n < plan.routers; ++n) {
        auto& r = net.routers[static_cast<std::size_t>(n)];
        if constexpr (!W::by_arithmetic) {
            r.fed = static_cast<std::uint16_t>(layout.fed[n]);
            r.place = static_cast<std::uint32_t>(layout.first_slot[n]);
        }
        r.idle = W::Router::S::all();
        if constexpr (requires { r.bubble; }) r.bubble = W::Router::S::all();
        for (std::int64_t port = 0; port < plan.ports; ++port) {
            const std::int64_t there = neighbor[n * plan.ports + port], in = entry[n * plan.ports + port];
            if (there < 0) continue;
            if (port >= layout.ports[n] || in < 0 || in >= layout.ports[there])
                throw std::invalid_argument("network: a link has no port");
            auto& link = r.link[port];
            link.beyond = Domain<W>::name_of(static_cast<std::uint32_t>(there), static_cast<int>(in * plan.vcs));
            const auto slot = static_cast<std::uint32_t>(layout.first_slot[there] + in * plan.vcs * plan.queue);
            if constexpr (W::usual && !W::by_arithmetic) r.slot[port] = slot;
            if constexpr (!W::usual) {
                const std::int64_t at = n * plan.ports + port;
                link.slot = slot;
                link.lasts = static_cast<std::uint32_t>(slow ? cycles[at] * plan.phits : plan.phits);
                link.far = static_cast<std::uint32_t>(slow ? delay[at] : plan.hop);
                link.wired = true;
                if (link.lasts < 1 || link.far < 1) throw std::invalid_argument("network: a link takes no time");
                net.routers[static_cast<std::size_t>(there)].feed[in] = Feed{
                    Domain<W>::name_of(static_cast<std::uint32_t>(n), static_cast<int>(port * plan.vcs)),
                    static_cast<std::uint32_t>(slow ? lag[at] : 0), link.far, true};
            }
            r.free |= W::Router::S::range(static_cast<int>(port * plan.vcs), static_cast<int>(plan.vcs));
        }
        r.room = r.free;
    }
}

// The longest delays of events, from the links as they are.
template <class W>
void set_calendars(Network<W>& net, Desk& desk, Cycle now) {
    const Plan& plan = net.plan;
    Cycle tails = plan.phits, headers = std::max<Cycle>(plan.hop, plan.injected), credits = 1;
    if constexpr (!W::usual) {
        for (auto& r : net.routers)
            for (int port = 0; port < r.fed / static_cast<int>(plan.vcs); ++port) {
                tails = std::max<Cycle>(tails, r.link[port].lasts);
                headers = std::max<Cycle>(headers, r.link[port].far);
                credits = std::max<Cycle>(credits, r.feed[port].lag);
            }
    }
    constexpr Cycle most = 1 << 24;
    for (const Cycle delay : {tails, headers, credits, static_cast<Cycle>(plan.ack)})
        if (delay > most)
            throw std::invalid_argument("network: a delay of " + std::to_string(delay) + " cycles is more than the kernel's " +
                                        std::to_string(most));
    desk.tails.lengthen(tails, now);
    desk.headers.lengthen(headers, now);
    desk.credits.lengthen(credits, now);
    desk.acks.lengthen(plan.ack, now);
    desk.notices.lengthen(plan.ack, now);
    // A node that waits for its turn is woken after so many cycles at the latest.
    if (plan.rate > 0) desk.wakes.lengthen(std::min<Cycle>(1 << 12, plan.phits * line_rate / least_rate), now);
}

}  // namespace netplace
