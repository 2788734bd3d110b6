#include "placement/mapping/routed_links.hpp"

#include <utility>

namespace netplace::placement {

Walked walk(const Table& table, std::span<const std::int64_t> homes, bool counted) {
    std::vector<double> amount(table.switches), onward(table.switches);
    std::vector<std::int64_t> front, coming;
    Walked walked;
    walked.first.push_back(0);
    std::int64_t count = 0;
    for (const auto source : homes) {
        for (const auto target : homes) {
            front.clear();
            if (source != target) {
                front.push_back(source);
                amount[source] = 1.0;
            }
            for (std::int64_t hops = 0; !front.empty(); ++hops) {
                if (hops > 2 * table.switches) {
                    walked.leads = false;  // in a circle
                    return walked;
                }
                coming.clear();
                for (const auto here : front) {
                    const auto* ports = table.ports.data() + (here * table.switches + target) * table.choices;
                    std::int64_t named = 0;
                    for (std::int64_t n = 0; n < table.choices; ++n) named += ports[n] >= 0;
                    const auto part = amount[here] / static_cast<double>(named);
                    amount[here] = 0.0;
                    for (std::int64_t n = 0; n < table.choices; ++n) {
                        if (ports[n] < 0) continue;
                        const auto link = here * table.wide + ports[n];
                        const auto end = table.neighbor[link];
                        if (end < 0) {
                            walked.leads = false;
                            return walked;
                        }
                        if (!counted) {
                            walked.link.push_back(link);
                            walked.share.push_back(part * table.weight[link]);
                        }
                        ++count;
                        if (end == target) continue;
                        if (onward[end] == 0.0) coming.push_back(end);
                        onward[end] += part;
                    }
                }
                front.swap(coming);
                amount.swap(onward);
            }
            walked.first.push_back(count);
        }
    }
    return walked;
}

}  // namespace netplace::placement
