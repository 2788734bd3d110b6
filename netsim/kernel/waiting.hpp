// Whom waiting is charged to (model: "Waiting"), where a network explains it.
//
// A head is charged lazily: up to now when something changes that decides who is charged. That is a packet that begins
// to cross the link it waits for, another head in the FIFO beyond, or its own grant. A head that goes on in the cycle in
// which it came waits for nothing and is not looked at: heads are *parked* when their router has decided and they are
// left. Owners are jobs counted from 1; 0 is open-loop traffic, and packets of nobody. Whose head stands in a FIFO changes
// in phase 1 and is asked in phase 2, so it does not matter which domain the FIFO is in.
#pragma once

#include "fifos.hpp"

namespace netplace {

template <class D>
std::int32_t owner_of_head(D& d, std::uint32_t router, const typename D::Router& r, int i) {
    const std::uint32_t label = head_of(d, router, r, i).label;
    return label == nobody ? 0 : d.keys[label >> 2].owner;
}

// The link of an output as those see it who wait for it, or a router's consumption.
template <class D>
auto& way_of(D& d, std::uint32_t router, int output) {
    auto& waits = d.net.waits;
    const int port = output == consumption ? -1 : d.port_of(output);
    return waits.way[static_cast<std::size_t>(waits.at[router].consumption + 1 + port)];
}

template <class D>
Waiter& waiter_of(D& d, std::uint32_t router, int i) {
    auto& waits = d.net.waits;
    return waits.waiter[static_cast<std::size_t>(waits.at[router].first) + static_cast<std::size_t>(i)];
}

// The owner of the head of a FIFO, or `no_head`.
template <class D>
std::int32_t& front_of(D& d, std::uint32_t router, int i) {
    auto& waits = d.net.waits;
    return waits.front[static_cast<std::size_t>(waits.at[router].first) + static_cast<std::size_t>(i)];
}

// Note whose head stands in a FIFO.
template <class D>
void note_front(D& d, std::uint32_t router, const typename D::Router& r, int i) {
    front_of(d, router, i) = r.fifo[i].count > 0 ? owner_of_head(d, router, r, i) : no_head;
}

// Charge what the parked head of an input has waited for a link since it was charged last, up to `cycle`; `front` is the
// owner of the head of the FIFO that it is to go to.
template <class D>
void charge(D& d, std::uint32_t router, int i, Way<typename D::S>& way, std::int32_t front, Cycle cycle) {
    Waiter& waiter = waiter_of(d, router, i);
    const Cycle begin = waiter.charged, crossed = std::clamp(way.crossing, begin, std::max(begin, cycle));
    const auto add = [&](std::int32_t culprit, Cycle cycles) {
        (culprit == waiter.owner ? way.for_own : way.for_others) += cycles;
        d.desk.charges.add(waiter.owner, culprit, &way - d.net.waits.way.data(), d.net.waits.way.size(), cycles);
    };
    if (begin >= cycle) return;
    waiter.charged = cycle;
    if (begin < crossed) add(way.crosser, crossed - begin);
    if (crossed == cycle) return;
    add(front == no_head ? waiter.owner : front, cycle - crossed);
}

// Charge a head by what stands in the FIFO that it is to go to.
template <class D>
void charge(D& d, std::uint32_t router, int i, Way<typename D::S>& way, Cycle cycle) {
    const int output = waiter_of(d, router, i).output;
    std::int32_t front = no_head;
    if (output != consumption) {
        const Name to = beyond(d, d.router(router), output);
        front = front_of(d, d.router_of(to), d.input_of(to));
    }
    charge(d, router, i, way, front, cycle);
}

template <class D>
void charge_all(D& d, std::uint32_t router, Way<typename D::S>& way, Cycle cycle) {
    way.waiting.for_each([&](int i) { charge(d, router, i, way, cycle); });
}

// Charge all waiting up to `cycle`.
template <class D>
void charge_everything(D& d, Cycle cycle) {
    auto& waits = d.net.waits;
    for (std::uint32_t router = 0; router < waits.at.size(); ++router) {
        const std::size_t end = router + 1 < waits.at.size() ? waits.at[router + 1].consumption : waits.way.size();
        for (std::size_t n = waits.at[router].consumption; n < end; ++n) charge_all(d, router, waits.way[n], cycle);
    }
}

// --- what happens to heads ---------------------------------------------------------------------------------------

// Note what the heads wait for that have come in `cycle` and are left when their router has decided.
template <class D>
void park(D& d, std::uint32_t router, const typename D::Router& r, Cycle cycle) {
    typename D::S tied, homing;  // hold an output and wait for its link; are at their destination
    if constexpr (requires { r.homing; }) homing = r.homing;
    r.held.for_each([&](int output) { tied.insert(r.output[output].holder()); });
    auto& parked = d.net.waits.at[router].parked;
    const typename D::S fresh = (r.wait | tied | homing) - parked;
    parked |= fresh;
    fresh.for_each([&](int i) {
        int output = consumption;
        if (tied.has(i)) {
            output = r.fifo[i].output;
        } else if (!homing.has(i)) {
            output = first_choice(d.net.wiring, d, router, r, i);
        }
        waiter_of(d, router, i) = {cycle, owner_of_head(d, router, r, i), output};
        way_of(d, router, output).waiting.insert(i);
    });
}

// A head waits for the link of the output it was granted alone, from `cycle` on.
template <class D>
void wait_for_link(D& d, std::uint32_t router, int i, int output, Cycle cycle) {
    if (!d.net.waits.at[router].parked.has(i)) return;
    Waiter& waiter = waiter_of(d, router, i);
    auto& way = way_of(d, router, waiter.output);
    charge(d, router, i, way, cycle);
    way.waiting.erase(i);
    waiter.output = output;
    way_of(d, router, output).waiting.insert(i);
}

// The head of an input begins to cross a link, or to be consumed, in `cycle`, for so long.
template <class D>
void end_wait(D& d, std::uint32_t router, const typename D::Router& r, int i, int output, Cycle takes, Cycle cycle) {
    auto& way = way_of(d, router, output);
    auto& parked = d.net.waits.at[router].parked;
    d.desk.charges.waited += cycle;
    charge_all(d, router, way, cycle);
    way.crossing = cycle + takes;
    way.crosser = parked.has(i) ? waiter_of(d, router, i).owner : owner_of_head(d, router, r, i);
    parked.erase(i);
    way.waiting.erase(i);
}

// The head of the FIFO that an output feeds is gone from `cycle` on, `front` was its owner: charge those who wait for it.
template <class D>
void front_is_gone(D& d, Name name, std::int32_t front, Cycle cycle) {
    const std::uint32_t router = d.router_of(name);
    if constexpr (D::is_cut) {
        if (d.domain_of(router) != d.number) {
            d.post(d.domain_of(router), News::front_gone, name, static_cast<std::uint32_t>(front));
            return;
        }
    }
    const int output = d.input_of(name);
    auto& way = way_of(d, router, output);
    if (way.crossing >= cycle) return;
    way.waiting.for_each([&](int i) {
        if (waiter_of(d, router, i).output == output) charge(d, router, i, way, front, cycle);
    });
}

// The head of an input has left its FIFO, in which another one may stand from `cycle` on.
template <class D>
void change_front(D& d, std::uint32_t router, const typename D::Router& r, int i, Cycle cycle) {
    if (i >= r.fed) return;
    front_is_gone(d, feeder(d, r, i), front_of(d, router, i), cycle);
    note_front(d, router, r, i);
}

// --- between two cycles, with all waiting charged ------------------------------------------------------------------

template <class Net>
std::int64_t waiting_now(const Net& net) {
    std::int64_t heads = 0;
    for (const auto& router : net.waits.at) heads += router.parked.count();
    return heads;
}

// Count what is waited anew from now on.
template <class Net>
void reset_waiting(Net& net) {
    for (Desk& desk : net.desks) desk.charges.reset();
    net.desks.front().charges.waited = -net.now() * waiting_now(net);
    for (auto& way : net.waits.way) way.for_own = way.for_others = 0;
}

// Let all heads wait anew after a fault, which may have made an end of some.
template <class D>
void wait_anew(D& d) {
    auto& net = d.net;
    net.desks.front().charges.waited += net.now() * waiting_now(net);
    for (auto& router : net.waits.at) router.parked = {};
    for (auto& way : net.waits.way) way.waiting = {};
    for (std::uint32_t router = 0; router < net.routers.size(); ++router)
        for (int i = 0; i < d.router(router).fed; ++i) note_front(d, router, d.router(router), i);
}

}  // namespace netplace
