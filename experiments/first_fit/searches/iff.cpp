// IFF, improved first fit, as published: see iff.py.
#include <algorithm>

#include "experiments/first_fit/searches/searches.hpp"

namespace netplace::experiments {
namespace {

using Place = std::vector<std::int64_t>;

std::int64_t number(const Place& place, Sides sizes) {
    std::int64_t node = 0;
    for (auto d = sizes.size(); d-- > 0;) node = node * sizes[d] + place[d] % sizes[d];
    return node;
}

// Whether a node of the box is held, and the nodes looked at; `blocked` becomes its place. Step s looks at nodes that
// differ from the base in the last s dimensions, the last of these by at least one, and compares their runs in the
// dimensions before.
std::pair<bool, std::int64_t> look(const IffNodes& nodes, Sides sizes, Sides shape, const Place& base, Place& blocked) {
    const auto dims = sizes.size(), count = nodes.left.size();
    std::int64_t looks = 0;
    Place offset(dims);
    for (auto moved = dims - 1; moved > 0; --moved) {
        // Nodes with offset[moved] >= 1, any offset in the dimensions behind it, none in those before.
        std::fill(offset.begin(), offset.end(), 0);
        offset[moved] = 1;
        while (offset[moved] < shape[moved]) {
            for (std::size_t d = 0; d < dims; ++d) blocked[d] = base[d] + offset[d];
            const auto node = number(blocked, sizes);
            ++looks;
            for (std::size_t d = 0; d < moved; ++d) {
                const auto run = nodes.runs[d * count + node];
                if (run < shape[d]) {
                    blocked[d] += run;
                    return {true, looks};
                }
            }
            auto d = dims - 1;
            for (; d > moved && offset[d] == shape[d] - 1; --d) offset[d] = 0;
            ++offset[d];
        }
    }
    return {false, looks};
}

// Marks the bases that the held node at `blocked` forbids: from the base to it, behind it along X.
void mark(const IffNodes& nodes, Sides sizes, const Place& base, const Place& blocked, Place& marked) {
    const auto dims = sizes.size();
    // The first base along X that is not forbidden.
    const auto end = std::min(blocked[0] + nodes.left[number(blocked, sizes)], base[0] + sizes[0]);
    auto place = base;
    while (true) {
        for (auto x = base[0]; x < end; ++x) {
            place[0] = x;
            const auto node = number(place, sizes);
            auto& jump = nodes.jumps[node];
            if (jump == 0) marked.push_back(node);
            jump = std::max(jump, static_cast<std::int32_t>(end - x));
        }
        std::size_t d = 1;
        for (; d < dims && place[d] == blocked[d]; ++d) place[d] = base[d];
        if (d >= dims) return;
        ++place[d];
    }
}

}  // namespace

std::tuple<std::int64_t, std::int64_t, std::int64_t> iff(const IffNodes& nodes, Sides sizes, Sides shape, bool wraps) {
    const auto dims = sizes.size(), count = nodes.left.size();
    Place base(dims), blocked(dims), marked, met;
    const auto last = [&](std::size_t d) { return wraps ? sizes[d] - 1 : sizes[d] - shape[d]; };
    std::int64_t visited = 0, fitting = -1, accepted = 0;
    for (bool ended = false; !ended;) {
        const auto node = number(base, sizes);
        const std::int64_t run = nodes.runs[node];
        ++visited;
        std::int64_t step = 1, block = -1;  // a held node of the partition that is met
        if (nodes.jumps[node] > 0) {
            step = nodes.jumps[node];
        } else if (run == 0) {
            step = nodes.left[node];
            block = node;
        } else if (run < shape[0]) {
            // What ends the run is a partition, or the border of a mesh.
            step = run;
            if (const auto end = base[0] + run; end < sizes[0] || wraps) {
                block = node - base[0] + end % sizes[0];
                step += nodes.left[block];
            }
        } else {
            bool is_short = false;
            for (std::size_t d = 1; d < dims; ++d) is_short = is_short || nodes.runs[d * count + node] < shape[d];
            if (!is_short) {
                const auto [failed, looks] = look(nodes, sizes, shape, base, blocked);
                visited += looks;
                if (!failed) {
                    fitting = node;
                    accepted = 1 + looks;
                    break;
                }
                block = number(blocked, sizes);
                mark(nodes, sizes, base, blocked, marked);
                step = std::max(1, nodes.jumps[node]);
            }
        }
        if (block >= 0 && !nodes.seen[nodes.whose[block]]) {
            nodes.seen[nodes.whose[block]] = true;
            met.push_back(nodes.whose[block]);
        }
        base[0] += step;
        for (std::size_t d = 0; !ended && base[d] > last(d);) {
            base[d] = 0;
            ended = ++d == dims;
            if (!ended) ++base[d];
        }
    }
    for (const auto node : marked) nodes.jumps[node] = 0;
    for (const auto partition : met) nodes.seen[partition] = false;
    return {fitting, visited, static_cast<std::int64_t>(met.size()) + accepted};
}

void change_iff(const IffNodes& nodes, Sides sizes, Sides shape, std::int64_t base, bool free, bool wraps) {
    const auto dims = sizes.size(), count = nodes.left.size();
    const auto partition = static_cast<std::int32_t>(base);
    Place start(dims), stride(dims, 1), offset(dims), place(dims);
    for (std::size_t d = 0; d < dims; ++d) {
        start[d] = base % sizes[d];
        base /= sizes[d];
        if (d > 0) stride[d] = stride[d - 1] * sizes[d - 1];
    }
    for (std::size_t along = 0; along < dims; ++along) {
        std::fill(offset.begin(), offset.end(), 0);
        while (true) {
            for (std::size_t d = 0; d < dims; ++d) place[d] = start[d] + offset[d];
            place[along] = 0;
            const auto line = number(place, sizes), side = sizes[along];
            change_line(nodes.runs.data() + along * count, line, stride[along], side, start[along], shape[along], free,
                        wraps);
            for (std::int64_t i = 0; along == 0 && i < shape[0]; ++i) {
                const auto node = line + (start[0] + i) % side;
                nodes.left[node] = free ? 0 : static_cast<std::int32_t>(shape[0] - i);
                nodes.whose[node] = partition;
            }
            std::size_t d = 0;
            for (; d < dims && (d == along || offset[d] == shape[d] - 1); ++d) offset[d] = 0;
            if (d == dims) break;
            ++offset[d];
        }
    }
}

}  // namespace netplace::experiments
