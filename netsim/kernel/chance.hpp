// Random draws as pure functions of what they are for (model: "Chance"); the numbers are those of netsim/chance.py.
//
// The mixing function is the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
// number generators", OOPSLA 2014).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace netplace {

// Purpose of a draw, with the meaning of (place, index, cycle).
enum class Purpose : std::uint64_t {
    half_ring = 1,           // sign of a half-ring displacement: (source node, dimension, creation cycle)
    twist = 2,               // which minimal route of a twisted torus: (source node, 0, creation cycle)
    oblivious_vc = 3,        // VC at injection or turn: (router, input, cycle)
    adaptive_vc = 4,         // VC of an alternative of `smart`: (router, input * dimensions + dimension, cycle)
    policy = 5,              // choice of policy `random`: (router, input, cycle)
    arbiter = 6,             // choice of arbiter `random`: (router, output, cycle)
    tree_up = 7,             // port and VC of adaptive tree routing: (router, input, cycle)
    tree_vc = 8,             // VC of static tree routing: (router, input, cycle)
    gap = 9,                 // cycles to the next open-loop packet: (node, 0, cycle from which it counts)
    target = 10,             // destination of an open-loop packet: (node, 0, cycle)
    hot_spot = 11,           // whether it goes to the hot node: (node, 0, cycle)
    injector = 12,           // first injector that is looked at: (node, 0, cycle)
    route = 13,              // output in the general router: (router, input, cycle)
    via = 14,                // intermediate switch: (router, input, cycle)
    flow = 15,               // port of a flow: (switch, source node, destination node)
    crossbar = 16,           // port whose link goes first: (router, 0, cycle)
    injector_of_flow = 17,   // (source node, destination node, 0)
    vc_of_flow = 18,         // (source node, destination node, 0)
};

inline std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

// Draws of one seed.
class Chance {
public:
    explicit Chance(std::uint64_t seed) {
        for (std::uint64_t purpose = 0; purpose < purposes; ++purpose) first_[purpose] = mix(seed + golden * purpose);
    }
    // 64 random bits that depend on the seed and all four numbers.
    std::uint64_t draw(Purpose purpose, std::int64_t place, std::int64_t index, std::int64_t cycle) const {
        std::uint64_t x = mix(first_[static_cast<std::size_t>(purpose)] ^ (static_cast<std::uint64_t>(place) * golden));
        const auto i = static_cast<std::uint64_t>(index);
        x = mix(x ^ ((i << 32) * 0xBF58476D1CE4E5B9u + i * golden));
        return mix(x ^ (static_cast<std::uint64_t>(cycle) * 0x94D049BB133111EBu));
    }

private:
    static constexpr std::uint64_t golden = 0x9E3779B97F4A7C15u;
    static constexpr std::size_t purposes = 19;

    std::uint64_t first_[purposes];  // mixed from the seed and a purpose
};

// Return a number in 0..n-1 from 64 random bits, n < 2^31.
inline int below(std::uint64_t bits, std::int64_t n) {
    return static_cast<int>(((bits >> 32) * static_cast<std::uint64_t>(n)) >> 32);
}

// Return how many cycles a Bernoulli process fails before it succeeds, 2^60 at most; `log_stay` is log(1 - chance).
inline std::int64_t gap(std::uint64_t bits, double log_stay) {
    const double u = (static_cast<double>(bits >> 11) + 1.0) * (1.0 / 9007199254740993.0);
    return static_cast<std::int64_t>(std::min(std::log(u) / log_stay, 0x1p60));  // cut off is rounded down
}

}  // namespace netplace
