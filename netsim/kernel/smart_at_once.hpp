// Policy `smart` on a usual grid: as smart.hpp says, for all ports of a router in one step. `want` is one vector.
#pragma once

#include "port_sets.hpp"
#include "fifos.hpp"

namespace netplace {

// Constants: the bits of each port's two outputs; by alternative k, the inputs that reach a port with it.
template <int dims>
struct PortBits {
    static constexpr int ports = 2 * dims, room = PortSets<ports>::room;
    static constexpr std::uint32_t circle = dims <= 2 ? 6 : 12;  // a multiple of all numbers up to dims + 1
    std::uint16_t escape[room] = {}, adaptive[room] = {}, travels[dims][room] = {};

    constexpr PortBits() {
        for (int port = 0; port < ports; ++port) {
            escape[port] = static_cast<std::uint16_t>(1 << 2 * port);
            adaptive[port] = static_cast<std::uint16_t>(2 << 2 * port);
            for (int k = 0; k < dims; ++k) {
                const int dim = (port / 2 - k + dims) % dims;
                travels[k][port] = static_cast<std::uint16_t>(15 << 4 * dim | (dim == 0) << 4 * dims);
            }
        }
    }
};
template <int dims>
inline constexpr PortBits<dims> port_bits{};

// Record the ports through which the head of input `i` gets closer: `hops` left by dimension, the lowest bit is the sign.
template <int n>
void want_ports(GridRouter<n>& r, int i, const std::uint32_t (&hops)[n]) {
    using L = PortSets<2 * n>;
    std::uint64_t halves[2] = {};
    for (int dim = 0; dim < n; ++dim) {
        const int port = 2 * (dim & 1) + static_cast<int>(hops[dim] & 1);
        halves[dim / 2] |= std::uint64_t{hops[dim] > 1} << (16 * port + i);
    }
    const L others = L::read(r.want) - L::all(1u << i);
    (others | L::bits(halves[0], halves[1])).write(r.want);
}

// The waiting inputs of a router whose head could use an adaptive VC.
template <int n>
struct Passing {
    using L = PortSets<2 * n>;

    L want;              // by port: whose head comes nearer through it
    L here;              // those of them that wait
    L could;             // by port: who would find room in its adaptive VC
    std::uint16_t by[n];  // by alternative: who would find room with it

    explicit Passing(const GridRouter<n>& r) {
        constexpr const auto& port = port_bits<n>;
        want = L::read(r.want);
        here = want & L::all(r.wait.word[0]);
        could = here & L::where(L::all(r.room.word[0]) & L::from(port.adaptive));
#pragma GCC unroll 4
        for (int k = 0; k < n; ++k) by[k] = (could & L::from(port.travels[k])).joined();
    }
};

// Let every waiting head try for one cycle: `next` becomes who found room with each alternative. Returns who comes to
// the escape channel.
template <int n>
std::uint32_t try_once(std::uint32_t wait, const Passing<n>& passing, std::uint16_t* next) {
    std::uint32_t trying = wait;
#pragma GCC unroll 4
    for (int k = 0; k < n; ++k) trying &= ~std::uint32_t{next[k]};
#pragma GCC unroll 4
    for (int k = 0; k < n; ++k) {
        const std::uint32_t hit = trying & passing.by[k];
        trying = (trying & ~hit) | next[k];
        next[k] = static_cast<std::uint16_t>(hit);
    }
    return trying;
}

// Let the waiting heads of a router of two dimensions try as often as it slept (at least once), in closed form: a head
// with both alternatives goes round the three states, with one it goes to and fro between that and escape.
inline void sleep_in_closed_form(std::uint32_t wait, const std::uint16_t (&by)[2], std::uint16_t (&next)[2], std::uint32_t asleep) {
    const std::uint32_t second = next[0], escape = next[1], first = wait & ~(second | escape);  // who is to try what
    const std::uint32_t both = by[0] & by[1], odd = 0 - (asleep & 1);
    const std::uint32_t ring[] = {escape, second, first, escape};
    const std::uint32_t* const then = ring + asleep % 3;
    const std::uint32_t to = (first & odd) | ((second | escape) & ~odd);      // of those with the first alternative alone
    const std::uint32_t fro = ((first | second) & odd) | (escape & ~odd);     // of those with the second alone
    next[0] = static_cast<std::uint16_t>((both & then[1]) | (by[0] & ~both & to));
    next[1] = static_cast<std::uint16_t>((both & then[0]) | (by[1] & ~both & fro));
}

// Let the waiting heads try as often as their router slept. After the first try, the alternatives repeat periodically.
template <int n>
[[gnu::noinline]] void sleep_at_once(GridRouter<n>& r, std::uint32_t asleep) {
    const Passing<n> passing(r);
    const std::uint32_t wait = r.wait.word[0];
    std::uint16_t next[n];
    std::memcpy(next, r.next, sizeof next);
    if constexpr (n == 2) {
        sleep_in_closed_form(wait, passing.by, next, asleep);
    } else {
        for (std::uint32_t tries = 1 + (asleep - 1) % PortBits<n>::circle; tries > 0; --tries) try_once<n>(wait, passing, next);
    }
    std::memcpy(r.next, next, sizeof next);
}

// Visit the requests for every output that is free and has room; return those that some waiting head could use.
template <int n, class D, class Visit>
typename D::S visit_requests_at_once(D& d, typename D::Router& r, Visit visit) {
    using S = typename D::S;
    using L = typename Passing<n>::L;
    constexpr const auto& port = port_bits<n>;
    const L escape = L::from(port.escape), adaptive = L::from(port.adaptive);
    const Passing<n> passing(r);
    std::uint16_t next[n];
    std::memcpy(next, r.next, sizeof next);
    const std::uint32_t escapes = try_once<n>(r.wait.word[0], passing, next);
    std::memcpy(r.next, next, sizeof next);

    L turning;
#pragma GCC unroll 4
    for (int k = 0; k < n; ++k) turning = turning | (L::from(port.travels[k]) & L::all(next[k]));
    turning = turning & passing.could;
    const L may = (passing.here - passing.want.earlier()) & (escape | L::where(L::all(r.bubble.word[0]) & escape));
    const L escaping = may & L::all(escapes);

    std::uint16_t requests[2][PortBits<n>::room];  // by VC and port
    escaping.store(requests[0]);
    turning.store(requests[1]);
    S requested, useful;
    requested.word[0] = ((escape & L::where(escaping)) | (adaptive & L::where(turning))).joined();
    useful.word[0] = ((escape & L::where(may)) | (adaptive & L::where(passing.here))).joined();
    const S available = r.free & r.room;
    (requested & available).for_each([&](int output) {
        S its;
        its.word[0] = requests[d.vc_of(output)][d.port_of(output)];
        visit(output, its);
    });
    return useful & available;
}

}  // namespace netplace
