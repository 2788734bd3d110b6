// The box of least sum of shell numbers, by sums over corners.
#include <algorithm>
#include <numeric>

#include "scheduling/partitioner/centres/searches.hpp"

namespace netplace::scheduling {

std::vector<std::int32_t> sum_below(Nodes here, Nodes sizes, Nodes shift, Nodes ends, Nodes strides) {
    const auto dims = sizes.size();
    std::vector<std::int32_t> below(strides[dims]);
    std::vector<std::int64_t> place(dims);  // of a line along the first dimension, unrolled
    const auto lines = std::accumulate(ends.begin() + 1, ends.end(), std::int64_t{1}, std::multiplies<>());
    for (std::int64_t turn = 0; turn < lines; ++turn) {
        std::int64_t line = 0, corner = 0, length = sizes[0];
        for (std::size_t d = 1; d < dims; ++d) {
            line += (place[d] + sizes[d] - shift[d]) % sizes[d] * length;
            corner += (place[d] + 1) * strides[d];
            length *= sizes[d];
        }
        std::int32_t total = 0;
        auto x = sizes[0] - shift[0];
        for (std::int64_t i = 0; i < ends[0]; ++i, ++x) {
            if (x >= sizes[0]) x -= sizes[0];
            total += static_cast<std::int32_t>(here[line + x]);
            below[corner + i + 1] = total;
        }
        std::size_t d = 1;
        while (d < dims && place[d] == ends[d] - 1) place[d++] = 0;
        if (d < dims) ++place[d];
    }
    for (std::size_t d = 1; d < dims; ++d) {
        const auto stride = strides[d];
        for (std::int64_t block = 0; block < strides[dims]; block += strides[d + 1]) {
            for (auto row = block + stride; row < block + strides[d + 1]; row += stride) {
                for (std::int64_t i = 0; i < stride; ++i) below[row + i] += below[row - stride + i];
            }
        }
    }
    return below;
}

// The sum is that over shells of how many of the nodes lie further out.
std::pair<std::int64_t, std::int64_t> best_box(const Axes& axes, const Corners& corners, Nodes free, Nodes below,
                                               Nodes above, std::int64_t size) {
    const auto dims = axes.dims();
    std::vector<std::int64_t> low(dims), high(dims);
    std::int64_t best = -1, best_at = -1;
    for (const auto centre : free) {
        std::int64_t cost = 0;
        for (std::int64_t shell = 0; best < 0 || cost < best; ++shell) {
            for (std::size_t d = 0; d < dims; ++d) {
                auto down = below[d] + shell, up = above[d] + shell;
                if (axes.kinds[d] == Kind::ring) {
                    down = std::min(down, (axes.sizes[d] - 1) / 2);
                    up = std::min(up, axes.sizes[d] / 2);
                }
                const auto middle = axes.place(d, centre) + corners.shift[d];
                low[d] = std::max(middle - down, std::int64_t{0}) * corners.strides[d];
                high[d] = std::min(middle + up + 1, corners.ends[d]) * corners.strides[d];
            }
            std::int64_t inside = 0;
            for (std::size_t corner = 0; corner < std::size_t{1} << dims; ++corner) {
                std::int64_t at = 0, sign = 1;
                for (std::size_t d = 0; d < dims; ++d) {
                    const bool lower = corner >> d & 1;
                    at += lower ? low[d] : high[d];
                    sign = lower ? -sign : sign;
                }
                inside += sign * corners.counts[at];
            }
            if (inside >= size) {
                best = cost;
                best_at = centre;
                break;
            }
            cost += size - inside;
        }
        if (best == 0) break;
    }
    return {best_at, best};
}

}  // namespace netplace::scheduling
