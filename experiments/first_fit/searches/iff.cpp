// IFF, improved first fit, as published. Of a partition, only the rim keeps values, and only the rim is written when it
// is taken: a search enters a partition at its rim. The text leaves two cases open, in which a base lies inside one. A jump
// may end there: so the row is walked up to its end, from rim to rim. On a torus, a row may begin there: so partitions keep
// values at X = 0 too.
#include <algorithm>

#include "experiments/first_fit/searches/searches.hpp"

namespace netplace::experiments {
namespace {

// Marks `count` nodes of a line from `first` on as free or held, and corrects the runs before them; returns how many.
std::int64_t change_line(std::int32_t* runs, std::int64_t line, std::int64_t step, std::int64_t side, std::int64_t first,
                 std::int64_t count, bool free, bool wraps) {
    const auto end = first + count;
    std::int32_t length = 0;
    if (free && count < side && (end < side || wraps)) length = runs[line + end % side * step];
    for (std::int64_t i = 0; i < side; ++i) {
        auto place = end - 1 - i;
        if (place < 0) {
            if (!wraps) return i - count;
            place += side;
        } else if (place >= side) {
            place -= side;
        }
        auto& run = runs[line + place * step];
        if (i >= count && run == 0) return i - count;
        if (!free && i < count) run = 0;
        else run = ++length;
    }
    if (free && wraps) {  // the whole ring is free
        for (std::int64_t i = 0; i < side; ++i) runs[line + i * step] = static_cast<std::int32_t>(side);
    }
    return side - count;
}

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
    std::int64_t held_until = 0, rim = 0;  // end along X of a partition that a jump ended in, and a node of its rim
    for (bool ended = false; !ended;) {
        const auto node = number(base, sizes), row = node - base[0];
        const bool inside = base[0] < held_until;
        const std::int64_t run = inside ? 0 : nodes.runs[node];
        ++visited;
        std::int64_t step = 1, block = -1;  // a held node of the partition that is met
        if (nodes.jumps[node] > 0) {
            step = nodes.jumps[node];
        } else if (run == 0) {
            step = inside ? held_until - base[0] : nodes.left[node];
            block = inside ? rim : node;
        } else if (run < shape[0]) {
            // What ends the run is a partition, or the border of a mesh.
            step = run;
            if (const auto end = base[0] + run; end < sizes[0] || wraps) {
                block = row + end % sizes[0];
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
        const auto behind = base[0] + step;
        if (nodes.jumps[node] > 0 && behind <= last(0)) {
            for (auto at = inside ? held_until : base[0]; at < behind;) {
                const auto free = nodes.runs[row + at];
                rim = free > 0 ? rim : row + at;
                at += free > 0 ? free : nodes.left[row + at];
                held_until = free > 0 ? 0 : at;
            }
        }
        base[0] = behind;
        for (std::size_t d = 0; !ended && base[d] > last(d);) {
            base[d] = held_until = 0;
            ended = ++d == dims;
            if (!ended) ++base[d];
        }
    }
    for (const auto node : marked) nodes.jumps[node] = 0;
    for (const auto partition : met) nodes.seen[partition] = false;
    return {fitting, visited, static_cast<std::int64_t>(met.size()) + accepted};
}

std::int64_t change_iff(const IffNodes& nodes, Sides sizes, Sides shape, std::int64_t base, bool free, bool wraps) {
    const auto dims = sizes.size(), count = nodes.left.size();
    const auto partition = static_cast<std::int32_t>(base);
    Place start(dims), stride(dims, 1), offset(dims), place(dims);
    std::int64_t volume = 1, inner = 1, before = 0;
    for (std::size_t d = 0; d < dims; ++d) {
        volume *= shape[d];
        inner *= std::max<std::int64_t>(shape[d] - 2, 0);
        start[d] = base % sizes[d];
        base /= sizes[d];
        if (d > 0) stride[d] = stride[d - 1] * sizes[d - 1];
    }
    for (std::size_t along = 0; along < dims; ++along) {
        std::fill(offset.begin(), offset.end(), 0);
        while (true) {
            bool on_face = false;  // of the partition, in another dimension: the whole line belongs to the rim
            for (std::size_t d = 0; d < dims; ++d) {
                place[d] = start[d] + offset[d];
                on_face = on_face || (d != along && (offset[d] == 0 || offset[d] == shape[d] - 1));
            }
            place[along] = 0;
            const auto line = number(place, sizes), side = sizes[along], first = start[along], length = shape[along];
            auto* runs = nodes.runs.data() + along * count;
            const auto hold = [&](std::int64_t i) {
                const auto node = line + (first + i) % side * stride[along];
                runs[node] = 0;
                if (along > 0) return;
                nodes.left[node] = static_cast<std::int32_t>(length - i);
                nodes.whose[node] = partition;
            };
            if (!free) {
                if (along == 0 && first + length > side) hold(side - first);
                for (std::int64_t i = 0; i < length; i += on_face ? 1 : std::max<std::int64_t>(length - 1, 1)) hold(i);
            }
            before += change_line(runs, line, stride[along], side, first, free ? length : 1, free, wraps);
            std::size_t d = 0;
            for (; d < dims && (d == along || offset[d] == shape[d] - 1); ++d) offset[d] = 0;
            if (d == dims) break;
            ++offset[d];
        }
    }
    return before + (free ? volume : volume - inner);
}

}  // namespace netplace::experiments
