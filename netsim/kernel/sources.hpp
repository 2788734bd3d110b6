// Open-loop traffic (model: "Open-loop traffic"): when a node has its next packet, and for whom.
#pragma once

#include "injection.hpp"

#include <algorithm>

namespace netplace {

// Return random bits as a number from 0 to 1.
inline double share_of(std::uint64_t bits) { return static_cast<double>(bits) / 18446744073709551616.0; }

// The destination of a packet drawn in `cycle`.
template <class D>
std::int32_t draw_target(const D& d, std::int32_t node, Cycle cycle) {
    const Sources& sources = d.net.sources;
    if (sources.hot_node >= 0 && sources.hot_node != node) {
        if (share_of(d.chance.draw(Purpose::hot_spot, node, 0, cycle)) < sources.hot_share) return sources.hot_node;
    }
    const std::int32_t target = sources.target[node];
    if (target >= 0) return target;
    const auto& among = sources.among;
    const auto bits = d.chance.draw(Purpose::target, node, 0, cycle);
    if (!sources.first.empty()) {
        const auto begin = sources.until.begin() + sources.first[node], last = sources.until.begin() + sources.first[node + 1] - 1;
        const double before = sources.first[node] > 0 ? *(begin - 1) : 0.0;
        return sources.destination[std::upper_bound(begin, last, before + share_of(bits) * (*last - before)) - sources.until.begin()];
    }
    if (among.empty()) {
        const int n = below(bits, d.plan.nodes - 1);
        return n >= node ? n + 1 : n;
    }
    const int n = below(bits, static_cast<std::int64_t>(among.size()) - 1);
    return among[among[n] < node ? n : n + 1];
}

// Create a packet; the next is drawn when an injector has taken it. A node that is `occupied` with a message creates
// none in this cycle.
template <class D>
void act_source(D& d, std::int32_t number, Node& node, bool occupied, Cycle cycle) {
    if (node.drawn == 0) {
        if (cycle < node.next_draw) return;
        node.drawn = 1 + draw_target(d, number, cycle);
        d.quiet = cycle + 1;
    }
    if (occupied) {
        d.act_next(number);
        return;
    }
    const Sources& sources = d.net.sources;
    const std::int32_t from = sources.by_node ? number : d.domain_of(number);
    const std::int32_t key = sources.first_key + from * d.domains + d.domain_of(node.drawn - 1);
    if (!handed_over(d, number, node.drawn - 1, static_cast<std::uint32_t>(key) << 2 | data, cycle)) return;
    node.drawn = 0;
    node.next_draw = cycle + 1 + gap(d.chance.draw(Purpose::gap, number, 0, cycle + 1), sources.log_stay[number]);
    d.set_timer(cycle, node.next_draw, number, 1);
}

}  // namespace netplace
