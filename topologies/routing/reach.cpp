#include <algorithm>

#include "topologies/routing/tables.hpp"

namespace netplace::topologies {

void follow(const Links& links, const Table& table, std::span<const std::int64_t> step, std::span<std::int32_t> hops,
            std::span<std::int32_t> used, std::span<std::int32_t> arrival) {
    enum : char { unknown, begun, lost, known };
    const auto count = links.switches;
    std::vector<char> state(count);
    std::vector<std::int64_t> way;
    for (std::int64_t target = 0; target < count; ++target) {
        const auto place = [&](std::int64_t at) { return at * count + target; };
        std::fill(state.begin(), state.end(), unknown);
        state[target] = known;
        hops[place(target)] = used[place(target)] = arrival[place(target)] = 0;
        for (std::int64_t source = 0; source < count; ++source) {
            if (state[source] == unknown) way.push_back(source);
            while (!way.empty()) {
                const auto at = way.back();
                state[at] = begun;
                std::int64_t next = -1;
                bool fails = true;  // there is no port, or one leads back or nowhere
                std::int32_t far = -1, level = 0, last = 0;
                for (const auto port : table.entry(at, target)) {
                    if (port < 0) continue;
                    const auto end = links.end(at, port);
                    if (state[end] != known) {
                        next = end;
                        break;
                    }
                    fails = false;
                    const auto rise = static_cast<std::int32_t>(step[at * links.ports + port]);
                    far = std::max(far, hops[place(end)] + 1);
                    if (end != target) level = std::max(level, rise + used[place(end)]);
                    last = std::max(last, rise + arrival[place(end)]);
                }
                if (next >= 0 && state[next] == unknown) {
                    way.push_back(next);
                } else if (next >= 0 || fails) {  // so does every switch from which the way comes
                    for (const auto behind : way) {
                        state[behind] = lost;
                        hops[place(behind)] = -1;
                        used[place(behind)] = arrival[place(behind)] = 0;
                    }
                    way.clear();
                } else {
                    state[at] = known;
                    hops[place(at)] = far, used[place(at)] = level, arrival[place(at)] = last;
                    way.pop_back();
                }
            }
        }
    }
}

}  // namespace netplace::topologies
