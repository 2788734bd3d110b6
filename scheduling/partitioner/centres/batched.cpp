// The centre whose nearest free nodes lie closest together, for many centres side by side.
//
// Centres are taken in rows, in an order in which neighbours stay together, and how far each one's nodes reach is known
// from counts (reach.cpp): a free node out of reach of all centres of a row is passed over, one within reach of all is
// taken as it is. The choice is that of best_centre.
#include <memory>
#include <tuple>

#include "scheduling/partitioner/centres/lanes.hpp"
#include "scheduling/partitioner/centres/searches.hpp"

namespace netplace::scheduling {
namespace {

// The points with free nodes, line by line of the first dimension.
struct Lines {
    std::vector<std::int64_t> starts;  // where each line begins among these points, and the end of the last
    std::vector<std::int64_t> heads;   // first of them
    std::vector<std::int64_t> planes;  // number of the plane of the first two dimensions
    std::vector<std::int64_t> places;  // place of each point in its line
    std::vector<std::int16_t> nodes;   // its free nodes
};

Lines lines_of(const Axes& axes, std::span<const std::int32_t> here) {
    const auto width = axes.sizes[0], plane = width * (axes.dims() > 1 ? axes.sizes[1] : 1);
    Lines lines;
    std::int64_t end = 0;
    for (std::int64_t point = 0; point < static_cast<std::int64_t>(here.size()); ++point) {
        if (!here[point]) continue;
        if (point >= end) {
            end = point - point % width + width;
            lines.starts.push_back(static_cast<std::int64_t>(lines.nodes.size()));
            lines.heads.push_back(point);
            lines.planes.push_back(point / plane);
        }
        lines.places.push_back(axes.place(0, point));
        lines.nodes.push_back(static_cast<std::int16_t>(here[point]));
    }
    lines.starts.push_back(static_cast<std::int64_t>(lines.nodes.size()));
    return lines;
}

// Counts the nodes that each centre chooses; `shortest` and `largest` are the extremes of the radii. The lines at hand
// are those of one plane since the counts were last brought to `chosen`.
template <class Small, class Count>
NETPLACE_INSIDE void choose(const Axes& axes, Tables<Small, Count>& tables, const Lines& lines, std::int64_t shortest,
                            std::int64_t largest) {
    const bool deep = axes.dims() > 1;
    std::int64_t plane = -1, least = 0, most = 0, at_hand = 0;
    std::size_t last = 0;
    tables.open_lines();
    for (std::size_t line = 0; line < lines.heads.size(); ++line) {
        const auto head = lines.heads[line];
        if (lines.planes[line] != plane) {
            plane = lines.planes[line];
            std::tie(least, most) = tables.compare_plane(axes, head);
        }
        const auto at = deep ? tables.first[1] + axes.place(1, head) : -1;
        const auto nearest = least + (deep ? tables.near[at] : 0), farthest = most + (deep ? tables.far[at] : 0);
        if (nearest > largest) continue;
        if (at_hand == tables.together || (at_hand && lines.planes[last] != plane)) {
            tables.close_lines(axes, lines.heads[last]);
            tables.open_lines();
            at_hand = 0;
        }
        ++at_hand;
        last = line;
        tables.start_line(at);
        Count common = 0;
        for (auto i = lines.starts[line]; i < lines.starts[line + 1]; ++i) {
            const auto place = lines.places[i];
            const auto nodes = lines.nodes[i];
            if (tables.far[place] + farthest < shortest) {
                tables.alike[place] = static_cast<Count>(tables.alike[place] + nodes);
                common = static_cast<Count>(common + nodes);
            } else if (tables.near[place] + nearest <= largest) {
                if (nodes == 1) tables.take(place);
                else tables.take_several(place, static_cast<Small>(nodes));
            }
        }
        if (deep) tables.add_line(at);
        for (std::size_t d = 1; d < axes.dims(); ++d) {
            auto& everywhere = tables.alike[tables.first[d] + axes.place(d, head)];
            everywhere = static_cast<Count>(everywhere + common);
        }
    }
    tables.close_lines(axes, lines.heads[last]);
}

template <class Small, class Count>
NETPLACE_INSIDE std::int64_t best_of_rows(const Axes& axes, std::int64_t each, Nodes rows, const Lines& lines,
                                          const Reach<Count>& reach, std::int64_t size) {
    const auto tables = std::make_unique<Tables<Small, Count>>(axes, each);
    Lanes<std::int64_t> cost;
    std::int64_t best = kMost, best_at = kMost;
    for (std::size_t first = 0; first < rows.size(); first += kLanes) {
        const auto row = rows.subspan(first, std::min<std::size_t>(kLanes, rows.size() - first));
        tables->set_up(axes, row, reach.radius, reach.nearer, size);
        std::int64_t shortest = kMost, largest = 0;
        for (const auto point : row) {
            shortest = std::min<std::int64_t>(shortest, reach.radius[point]);
            largest = std::max<std::int64_t>(largest, reach.radius[point]);
        }
        choose(axes, *tables, lines, shortest, largest);
        cost = {};
        for (std::size_t d = 0; d < axes.dims(); ++d) tables->add_pairs(d, axes.kinds[d], size, cost);
        for (std::size_t lane = 0; lane < row.size(); ++lane) {
            if (cost[lane] < best || (cost[lane] == best && row[lane] < best_at)) {
                best = cost[lane];
                best_at = row[lane];
            }
        }
    }
    return best_at;
}

NETPLACE_WIDE std::int64_t best_in_8_bits(const Axes& axes, std::int64_t each, Nodes rows, const Lines& lines,
                                          const Reach<std::int16_t>& reach, std::int64_t size) {
    return best_of_rows<std::int8_t>(axes, each, rows, lines, reach, size);
}

NETPLACE_WIDE std::int64_t best_in_16_bits(const Axes& axes, std::int64_t each, Nodes rows, const Lines& lines,
                                           const Reach<std::int16_t>& reach, std::int64_t size) {
    return best_of_rows<std::int16_t>(axes, each, rows, lines, reach, size);
}

NETPLACE_WIDE std::int64_t best_of_many(const Axes& axes, std::int64_t each, Nodes rows, const Lines& lines,
                                        const Reach<std::int32_t>& reach, std::int64_t size) {
    return best_of_rows<std::int16_t>(axes, each, rows, lines, reach, size);
}

}  // namespace

std::int64_t best_of_batch(const Axes& lattice, std::int64_t each, Nodes order, std::span<const std::int32_t> here,
                           Nodes centres, std::int64_t size, bool narrow, bool few) {
    std::vector<bool> wanted(order.size());
    for (const auto centre : centres) wanted[centre] = true;
    std::vector<std::int64_t> rows;
    for (const auto point : order) {
        if (wanted[point]) rows.push_back(point);
    }
    const auto lines = lines_of(lattice, here);
    if (!few) return best_of_many(lattice, each, rows, lines, reach_of<std::int32_t>(lattice, here, centres, size), size);
    const auto best = narrow ? best_in_8_bits : best_in_16_bits;
    return best(lattice, each, rows, lines, reach_of<std::int16_t>(lattice, here, centres, size), size);
}

}  // namespace netplace::scheduling
