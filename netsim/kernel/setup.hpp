// Construction of a network from its description: routers, links, places for packets, tables.
#pragma once

#include <numeric>

#include "engine.hpp"

namespace netplace {

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
        if (first_slot.back() >= std::int64_t{1} << 31) throw std::invalid_argument("network: it has too many places for packets");
    }

private:
    static std::vector<std::int64_t> sums(const std::vector<std::int64_t>& counts) {
        std::vector<std::int64_t> first(1, 0);
        for (std::int64_t count : counts) first.push_back(first.back() + count);
        return first;
    }
};

// The variable parts of a flat router, by input, output or port: they are contiguous, behind all routers.
class Parts {
public:
    explicit Parts(std::byte* begin) : begin_(begin) {}

    template <class T>
    void add(Near<T>& first, std::int64_t count, const T& value = T{}) {
        add(first, 0, count, value);
    }
    // Only those from `begin` to before `end`.
    template <class T>
    void add(Near<T>& first, std::int64_t begin, std::int64_t end, const T& value) {
        if (begin == end) return;
        constexpr std::size_t step = std::max<std::size_t>(alignof(T), 4);  // `Near` counts words of four bytes
        size_ = (size_ + step - 1) / step * step;
        if (begin_) {
            T* records = reinterpret_cast<T*>(begin_ + size_);
            for (std::int64_t n = 0; n < end - begin; ++n) new (&records[n]) T(value);
            first.point_to(records - begin);
        }
        size_ += static_cast<std::size_t>(end - begin) * sizeof(T);
    }
    std::size_t size() const { return (size_ + 63) / 64 * 64; }  // whole cache lines

private:
    std::byte* begin_;  // null: only their size is asked for
    std::size_t size_ = 0;
};

// Lay out the parts of a router, the most often used first; return their size.
template <class R>
std::size_t lay_out(R& r, std::byte* begin, const Layout& layout, std::size_t n, const Plan& plan, bool compares_loads) {
    using S = typename R::S;
    const std::int64_t inputs = layout.inputs[n], outputs = layout.fed[n], ports = layout.ports[n];
    const bool is_table = plan.switches > 0;
    const auto arbiter = static_cast<Arbiter>(plan.arbiter);
    Parts parts(begin);
    parts.add(r.fifo, inputs, Fifo{});
    parts.add(r.output, outputs, Output{});
    if (is_table) parts.add(r.may, inputs, S{});
    parts.add(r.link, ports, Link{});
    parts.add(r.feed, ports, Feed{0, 0, 1, false});
    if (!is_table) {
        parts.add(r.want, ports, S{});
        parts.add(r.next, plan.dims, S{});
    }
    if (is_table) parts.add(r.last_resort, inputs, std::int16_t{-1});
    if (compares_loads) {
        parts.add(r.load, outputs);
        parts.add(r.slope, outputs);
    }
    // Of networks of any wiring no arbiter counts phits, but injectors do.
    r.timed = static_cast<std::uint16_t>(inputs);
    if (arbiter == Arbiter::first_come || (!is_table && (plan.injectors > 1 || arbiter == Arbiter::longest))) {
        r.timed = 0;
    } else if (plan.injectors > 1) {
        r.timed = static_cast<std::uint16_t>(outputs);
    }
    parts.add(r.times, r.timed, inputs, Times{});
    if (plan.marks > 0) parts.add(r.freed, plan.ports + 1);
    if (plan.classes > 1) parts.add(r.class_turn, ports * plan.classes);
    if (plan.crossbar > 0 || plan.classes > 1) parts.add(r.leaving_by, plan.ports + plan.injectors);
    return parts.size();
}

// Make flat routers with their parts.
template <class R>
void make_routers(Array<R>& routers, const Layout& layout, const Plan& plan, bool compares_loads) {
    const auto count = static_cast<std::size_t>(plan.routers);
    std::vector<std::size_t> sizes;
    R none{};
    for (std::size_t n = 0; n < count; ++n) sizes.push_back(lay_out(none, nullptr, layout, n, plan, compares_loads));
    const std::size_t behind = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    if (count * sizeof(R) + behind >= std::size_t{1} << 33) throw std::invalid_argument("network: routers of more than 8 GB");
    routers.assign(count, R{}, behind);
    auto* at = reinterpret_cast<std::byte*>(routers.data() + count);
    for (std::size_t n = 0; n < count; at += sizes[n++]) lay_out(routers[n], at, layout, n, plan, compares_loads);
}

template <class S>
void allocate(Waits<S>& waits, const Layout& layout) {
    waits.at.assign(layout.ports.size());
    for (std::size_t n = 0; n < layout.ports.size(); ++n) {
        waits.at[n].first = static_cast<std::uint32_t>(layout.first_input[n]);
        waits.at[n].consumption = static_cast<std::uint32_t>(layout.first_port[n] + static_cast<std::int64_t>(n));
    }
    waits.waiter.assign(static_cast<std::size_t>(layout.first_input.back()));
    waits.front.assign(static_cast<std::size_t>(layout.first_input.back()), no_head);
    waits.way.assign(static_cast<std::size_t>(layout.first_port.back()) + layout.ports.size());
}

// Check the cycles a phit of a link, and those to its end.
inline void need_pace(const Plan& plan, std::int64_t cycles, std::int64_t delay) {
    constexpr std::int64_t most = 1 << 24;
    if (cycles < 1 || delay < 1) throw std::invalid_argument("network: a link takes no time");
    if (cycles * plan.phits > most || delay > most) throw std::invalid_argument("network: a link takes more than 2^24 cycles");
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
    std::vector<bool> is_fed(static_cast<std::size_t>(layout.first_port.back()));
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
            const auto end = static_cast<std::size_t>(layout.first_port[there] + in);
            if (is_fed[end]) throw std::invalid_argument("network: two links lead into one port");
            is_fed[end] = true;
            // The routers of usual grids and trees find who feeds an input by the link that leads back.
            if constexpr (W::by_arithmetic) {
                if (in != port || neighbor[there * plan.ports + (port ^ 1)] != n)
                    throw std::invalid_argument("network: a link of a grid does not lead on in its direction");
            } else if constexpr (W::usual) {
                if (neighbor[there * plan.ports + in] != n || entry[there * plan.ports + in] != port)
                    throw std::invalid_argument("network: a link of a tree leads one way only");
            }
            auto& link = r.link[port];
            link.beyond = Domain<W>::name_of(static_cast<std::uint32_t>(there), static_cast<int>(in * plan.vcs));
            const auto slot = static_cast<std::uint32_t>(layout.first_slot[there] + in * plan.vcs * plan.queue);
            if constexpr (W::usual && !W::by_arithmetic) r.slot[port] = slot;
            if constexpr (!W::usual) {
                const std::int64_t at = n * plan.ports + port;
                if (slow) need_pace(plan, cycles[at], delay[at]);
                link.slot = slot;
                link.lasts = static_cast<std::uint32_t>(slow ? cycles[at] * plan.phits : plan.phits);
                link.far = static_cast<std::uint32_t>(slow ? delay[at] : plan.hop);
                link.wired = true;
                net.routers[static_cast<std::size_t>(there)].feed[in] = Feed{
                    Domain<W>::name_of(static_cast<std::uint32_t>(n), static_cast<int>(port * plan.vcs)),
                    static_cast<std::uint32_t>(slow ? lag[at] : 0), link.far, true};
            }
            r.free |= W::Router::S::range(static_cast<int>(port * plan.vcs), static_cast<int>(plan.vcs));
        }
        r.room = r.free;
        if constexpr (requires { r.emptier; }) r.emptier[0] = r.emptier[1] = r.emptier[2] = r.free;
    }
}

// Set the speed of links: the cycles for which a packet holds them, and those to its first request beyond.
template <class W>
void set_pace(Network<W>& net, const Description& description) {
    const Plan& plan = net.plan;
    const auto& cycles = description.array("cycles", plan.routers * plan.ports, 0, 1 << 20);
    const auto& delay = description.array("delay", plan.routers * plan.ports, 0, 1 << 30);
    const auto for_each_link = [&](auto visit) {
        for (std::size_t n = 0; n < net.routers.size(); ++n)
            for (int port = 0; port < net.routers[n].fed / static_cast<int>(plan.vcs); ++port)
                if (net.routers[n].link[port].wired) visit(net.routers[n].link[port], n * plan.ports + port);
    };
    for_each_link([&](const Link&, std::size_t at) { need_pace(plan, cycles[at], delay[at]); });
    for_each_link([&](Link& link, std::size_t at) {
        link.lasts = static_cast<std::uint32_t>(cycles[at] * plan.phits);
        link.far = static_cast<std::uint32_t>(delay[at]);
        auto& end = net.routers[Domain<W>::router_of(link.beyond)];
        end.feed[Domain<W>::input_of(link.beyond) / plan.vcs].far = link.far;
    });
}

// Note for each link of the switches its class, and the levels by which a packet rises on it; -1: it leads to no switch.
template <class W>
void rank_links(Network<W>& net, const Description& description) {
    const Plan& plan = description.plan;
    const auto& rise = description.array("rise", plan.switches * plan.ports, -1, 63);
    const auto& kind = description.array("kind", plan.switches * plan.ports, -1, 62);
    for (std::int64_t x = 0; x < plan.switches; ++x) {
        auto& r = net.routers[static_cast<std::size_t>(plan.first_switch + x)];
        for (int port = 0; port < r.fed / plan.vcs; ++port) {
            r.link[port].rise = static_cast<std::int8_t>(rise[x * plan.ports + port]);
            r.link[port].kind = static_cast<std::int8_t>(kind[x * plan.ports + port]);
        }
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
    // A node that waits for its turn is woken after this many cycles at the latest.
    if (plan.rate > 0) desk.wakes.lengthen(std::min<Cycle>(1 << 12, plan.phits * line_rate / least_rate), now);
}

}  // namespace netplace
