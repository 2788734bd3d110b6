// The choice of select.cpp where every two sets are nested or disjoint: the same removals, valued on the tree.
//
// What a removal of a set empties are the sets below it and those around it that have nothing else left. A state keeps
// what is left of every set with a table of what can be removed, and a removal changes it only for the sets around. A
// state is put together from the one that it extends when its turn comes.
#include <algorithm>

#include "scheduling/partitioner/pss/remnants.hpp"

namespace netplace::scheduling {
namespace {

// The best removal of so many nodes: what it saves, the state that it extends, and by which set.
struct State {
    std::int64_t value = -1, before = -1, by = -1;
    Parts outermost;
};

std::vector<State> states_of(const LaminarTree& tree, std::span<const bool> free, std::int64_t room) {
    Remnants remnants(tree, free);
    std::vector<State> states(room + 1);
    states[0].value = 0;
    states[0].outermost = remnants.outermost();
    for (std::int64_t base = 0; base < room; ++base) {
        auto& state = states[base];
        if (state.value < 0) continue;
        if (base) state.outermost = remnants.without(tree.place[state.by], states[state.before].outermost);
        remnants.each_removal(state.outermost, [&](const Removal& removal) {
            const auto next = base + removal.nodes;
            if (next > room) return;
            auto& after = states[next];
            const auto value = state.value + removal.saved;
            if (value > after.value || (value == after.value && after.before == base && removal.number < after.by)) {
                after.value = value;
                after.before = base;
                after.by = removal.number;
            }
        });
    }
    return states;
}

}  // namespace

std::vector<bool> kept_on_tree(const LaminarTree& tree, std::span<const bool> free, std::int64_t size) {
    const auto& parent = tree.parent;
    const auto nodes = static_cast<std::int64_t>(free.size());
    const auto room = std::count(free.begin(), free.end(), true) - size;
    const auto states = states_of(tree, free, room);
    std::int64_t best = 0;
    for (std::int64_t k = 0; k <= room; ++k) best = states[k].value >= states[best].value ? k : best;
    std::vector<bool> gone(parent.size()), kept(free.begin(), free.end());
    for (; best; best = states[best].before) gone[nodes + tree.place[states[best].by]] = true;
    // Sets come before those that hold them.
    for (auto v = static_cast<std::int64_t>(parent.size()) - 2; v >= nodes; --v) gone[v] = gone[v] || gone[parent[v]];
    for (std::int64_t node = 0; node < nodes; ++node) kept[node] = kept[node] && !gone[parent[node]];
    return kept;
}

}  // namespace netplace::scheduling
