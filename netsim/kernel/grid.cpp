// Networks that are grids, made from their description.
#include "engine_of.hpp"

namespace netplace {
namespace {

template <int usual_dims>
Grid<usual_dims> grid_of(const Description& description) {
    const Plan& plan = description.plan;
    const std::int64_t dims = plan.dims, most = (std::int64_t{1} << 31) - 1;
    Grid<usual_dims> grid;
    grid.size = description.array("size", dims, -most, most);
    grid.coordinate = description.array("coordinate", plan.nodes * dims, 0, most);
    const auto& shift = description.array("shift", dims, 0, 31);
    const auto& field = description.array("field", dims, 1, most);
    std::int64_t stride = 1;
    std::uint32_t bits = 0;
    for (std::int64_t dim = 0; dim < dims; ++dim) {
        const std::int64_t size = std::abs(std::int64_t{grid.size[dim]});
        const std::int64_t hops = plan.twist != 0 ? 0 : grid.size[dim] > 0 ? size / 2 : size - 1;
        const std::int64_t mask = field[dim], its = mask << shift[dim];
        grid.fields.shift[dim] = shift[dim];
        grid.fields.mask[dim] = field[dim];
        if (size == 0 || mask < 2 * hops + 1 || (mask & (mask + 1)) != 0 || its >> 32 != 0 || (bits & its) != 0)
            throw std::invalid_argument("network: a route record has no room for its dimensions");
        bits |= static_cast<std::uint32_t>(its);
        grid.fields.magnitudes |= static_cast<std::uint32_t>(field[dim] - 1) << shift[dim];
        for (std::int64_t node = 0; node < plan.nodes; ++node)
            if (grid.coordinate[node * dims + dim] != node / stride % size)
                throw std::invalid_argument("network: a node is not at its place in the grid");
        stride = std::min(stride * size, plan.nodes + 1);
        if constexpr (usual_dims == 0) {
            const int vcs = static_cast<int>(plan.vcs);
            grid.groups[dim] = Grid<0>::S::range(static_cast<int>(2 * dim) * vcs, 2 * vcs);
            if (dim == 0) grid.groups[0] |= Grid<0>::S::range(static_cast<int>(2 * dims) * vcs, static_cast<int>(plan.injectors));
        }
    }
    if (stride != plan.nodes) throw std::invalid_argument("network: a grid has a node at each place");
    if (plan.twist != 0) {
        const bool flat = std::any_of(grid.size.begin(), grid.size.end(), [](auto size) { return size < 0; });
        if (dims < 2 || flat || plan.twist < 0 || plan.twist >= grid.size[0])
            throw std::invalid_argument("network: a twisted torus has rings in two dimensions or more, and a twist less than its width");
        grid.record_first = description.array("record_first", plan.nodes + 1, 0, most);
        grid.record = description.array("record", grid.record_first.back(), 0, most);
        if (std::adjacent_find(grid.record_first.begin(), grid.record_first.end(), std::greater_equal<>()) != grid.record_first.end())
            throw std::invalid_argument("network: routes of a twisted torus are not in order");
        for (std::int32_t record : grid.record)
            if ((static_cast<std::uint32_t>(record) & ~bits) != 0)
                throw std::invalid_argument("network: a route of a twisted torus is none");
    }
    return grid;
}

template <int usual_dims>
std::unique_ptr<AnyNetwork> make(const Description& description) {
    return std::make_unique<NetworkOf<Grid<usual_dims>>>(description, grid_of<usual_dims>(description));
}

}  // namespace

std::unique_ptr<AnyNetwork> make_grid(const Description& description) {
    const Plan& plan = description.plan;
    if (plan.dims < 1 || plan.dims >= most_dims || plan.ports != 2 * plan.dims || plan.nodes != plan.routers)
        throw std::invalid_argument("network: a grid has two ports a dimension and a node at each router");
    if (plan.ports * plan.vcs + plan.injectors > 62)
        throw std::invalid_argument("network: a router of a grid has 62 inputs at most");
    if (plan.policy > static_cast<int>(Policy::oblivious)) throw std::invalid_argument("network: a grid has no such policy");
    if (plan.is_usual() && plan.policy == static_cast<int>(Policy::smart)) {
        if (plan.dims == 2) return make<2>(description);
        if (plan.dims == 3) return make<3>(description);
        if (plan.dims == 4) return make<4>(description);
        if (plan.dims == 5) return make<5>(description);
    }
    return make<0>(description);
}

}  // namespace netplace
