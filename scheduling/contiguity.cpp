#include "scheduling/contiguity.hpp"

#include <algorithm>
#include <vector>

#include "netplace/arrays.hpp"

namespace netplace::scheduling {

bool fill_box(Nodes nodes, std::span<const std::int64_t> sizes, std::span<const bool> rings) {
    std::int64_t volume = 1, stride = 1;
    std::vector<std::uint8_t> used;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        const auto size = sizes[d];
        used.assign(size + 1, 0);
        for (const auto node : nodes) used[node / stride % size] = 1;
        if (rings[d]) used[size] = used[0];
        std::int64_t side = 0, ends = 0;  // places in use, and ends of runs of them
        for (std::int64_t place = 0; place < size; ++place) {
            side += used[place];
            ends += used[place] > used[place + 1];
        }
        if (ends > 1) return false;
        volume *= side;
        stride *= size;
    }
    return volume == static_cast<std::int64_t>(nodes.size());
}

bool fit_subtree(Nodes nodes, std::int64_t machine, std::span<const std::int64_t> subtree,
                 std::span<const std::int64_t> part) {
    for (std::size_t row = 0; row < subtree.size(); row += machine) {
        const auto here = subtree[row + nodes[0]];
        if (std::ranges::all_of(nodes, [&](auto node) { return subtree[row + node] == here; }))
            return part[row + nodes[0]] < static_cast<std::int64_t>(nodes.size());
    }
    return false;
}

bool are_connected(Nodes nodes, std::span<const std::int64_t> home, std::span<const std::int32_t> neighbor,
                   std::int64_t ports, std::int64_t first) {
    enum State : std::uint8_t { other, to_reach, leads_on };
    const auto routers = static_cast<std::int64_t>(neighbor.size()) / ports;
    std::vector<State> state(routers, other);
    const auto for_neighbors = [&](std::int64_t router, auto&& act) {
        const auto row = neighbor.subspan(router * ports, ports);
        need_indices(row, routers, "neighbor", -1);
        for (const auto next : row)
            if (next >= 0) act(next);
    };
    std::int64_t left = 0;
    for (const auto node : nodes) {
        need_indices(home.subspan(node, 1), routers, "home");
        left += state[home[node]] != to_reach;
        state[home[node]] = to_reach;
        if (home[node] >= first)
            for_neighbors(home[node], [&](auto next) {
                if (state[next] == other) state[next] = leads_on;
            });
    }
    std::vector<std::int64_t> reached{home[nodes[0]]};
    state[reached[0]] = other;
    --left;
    for (std::size_t at = 0; at < reached.size() && left; ++at) {
        for_neighbors(reached[at], [&](auto next) {
            if (state[next] == other) return;
            left -= state[next] == to_reach;
            state[next] = other;
            reached.push_back(next);
        });
    }
    return left == 0;
}

}  // namespace netplace::scheduling
