#include <algorithm>
#include <map>

#include "topologies/routing/tables.hpp"

namespace netplace::topologies {

template <class T>
void least_costs(const Links& links, std::span<const std::int64_t> weight, T none, std::span<T> cost) {
    std::map<std::int64_t, std::vector<std::int32_t>> due;  // few different costs, many switches of each
    std::fill(cost.begin(), cost.end(), none);
    for (std::int64_t source = 0; source < links.switches; ++source) {
        const auto row = cost.subspan(source * links.switches, links.switches);
        row[source] = 0;
        due[0].push_back(static_cast<std::int32_t>(source));
        while (!due.empty()) {
            const auto [far, reached] = *due.begin();
            due.erase(due.begin());
            std::vector<std::int32_t>* next = nullptr;
            std::int64_t next_far = -1;
            for (const auto at : reached) {
                if (row[at] != static_cast<T>(far)) continue;  // a lighter way has been found since
                for (std::int64_t port = 0; port < links.ports; ++port) {
                    const auto end = links.end(at, port);
                    if (end < 0) continue;
                    const auto there = far + (weight.empty() ? 1 : weight[at * links.ports + port]);
                    if (row[end] != none && row[end] <= there) continue;
                    row[end] = static_cast<T>(there);
                    if (there != next_far) next = &due[next_far = there];
                    next->push_back(static_cast<std::int32_t>(end));
                }
            }
        }
    }
}

template <class T>
std::vector<std::int16_t> closer_ports(const Links& links, std::span<const std::int64_t> weight, std::span<const T> cost,
                                       std::int64_t& width) {
    const auto count = links.switches;
    std::vector<std::int16_t> found(count);
    // Calls `use` for the ports of a switch in order, with which of all others each leads closer to.
    const auto each = [&](std::int64_t at, auto&& use) {
        const auto* here = cost.data() + at * count;
        for (std::int64_t port = 0; port < links.ports; ++port) {
            const auto end = links.end(at, port);
            if (end < 0) continue;
            const auto own = static_cast<T>(weight.empty() ? 1 : weight[at * links.ports + port]);
            const auto* there = cost.data() + end * count;
            for (std::int64_t to = 0; to < count; ++to) use(port, to, here[to] > 0 && there[to] == here[to] - own);
        }
    };
    width = 1;
    for (std::int64_t at = 0; at < count; ++at) {
        std::fill(found.begin(), found.end(), 0);
        each(at, [&](std::int64_t, std::int64_t to, bool closer) { found[to] += closer; });
        width = std::max<std::int64_t>(width, *std::max_element(found.begin(), found.end()));
    }
    std::vector<std::int16_t> ports(count * count * width, -1);
    for (std::int64_t at = 0; at < count; ++at) {
        std::fill(found.begin(), found.end(), 0);
        each(at, [&](std::int64_t port, std::int64_t to, bool closer) {
            if (closer) ports[(at * count + to) * width + found[to]++] = static_cast<std::int16_t>(port);
        });
    }
    return ports;
}

template void least_costs(const Links&, std::span<const std::int64_t>, std::int16_t, std::span<std::int16_t>);
template void least_costs(const Links&, std::span<const std::int64_t>, std::int64_t, std::span<std::int64_t>);
template std::vector<std::int16_t> closer_ports(const Links&, std::span<const std::int64_t>, std::span<const std::int16_t>,
                                                std::int64_t&);
template std::vector<std::int16_t> closer_ports(const Links&, std::span<const std::int64_t>, std::span<const std::int64_t>,
                                                std::int64_t&);

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
