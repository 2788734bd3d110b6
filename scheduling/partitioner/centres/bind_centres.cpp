#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <numeric>

#include "netplace/arrays.hpp"
#include "scheduling/partitioner/centres/searches.hpp"

namespace netplace::scheduling {
namespace {

using nb::arg;
using Numbers = Array<const std::int64_t>;
using Counts = std::span<const std::int32_t>;

Axes axes_of(Array<const std::int64_t, 2> places, Numbers kinds, Numbers sizes, Array<const std::int32_t, 2> table) {
    Axes axes;
    const auto dims = sizes.size();
    need(dims > 0 && dims < 32 && kinds.size() == dims && places.shape(0) == dims, "axes: a kind, a size and a row of places each");
    axes.nodes = static_cast<std::int64_t>(places.shape(1));
    axes.sizes.assign(sizes.data(), sizes.data() + dims);
    axes.places.assign(places.data(), places.data() + places.size());
    axes.table.assign(table.data(), table.data() + table.size());
    for (std::size_t d = 0; d < dims; ++d) {
        need(kinds(d) >= 0 && kinds(d) <= 3, "axes: a kind is one of 0 to 3");
        axes.kinds.push_back(static_cast<Kind>(kinds(d)));
        need(sizes(d) > 0 && sizes(d) < std::int64_t{1} << 31, "axes: a size is from 1");
        need_indices(std::span(axes.along(d), axes.nodes), sizes(d), "axes: places");
    }
    const bool tabulated = axes.kinds[0] == Kind::table;
    need(std::count(axes.kinds.begin(), axes.kinds.end(), Kind::table) == tabulated, "axes: only the first has a table");
    if (tabulated) {
        const auto side = static_cast<std::size_t>(sizes(0));
        need(table.shape(0) == side && table.shape(1) == side, "axes: the table is of all places");
        need_indices(Counts(axes.table), 1 << 24, "axes: hops of the table");
    }
    return axes;
}

// Checks that a machine is a grid of one node at each place, in the order of their numbers.
void need_lattice(const Axes& axes) {
    std::int64_t stride = 1;
    for (std::size_t d = 0; d < axes.dims(); ++d) {
        need(axes.kinds[d] == Kind::line || axes.kinds[d] == Kind::ring, "axes: lines and rings alone");
        for (std::int64_t node = 0; node < axes.nodes; ++node) {
            need(axes.place(d, node) == node / stride % axes.sizes[d], "axes: one node at each place, in their order");
        }
        stride *= axes.sizes[d];
        need(stride <= axes.nodes, "axes: one node at each place");
    }
    need(stride == axes.nodes, "axes: one node at each place");
}

void need_choice(const Axes& axes, Numbers free, Numbers centres, std::int64_t size) {
    need_indices(flat(free), axes.nodes, "free");
    need_indices(flat(centres), axes.nodes, "centres");
    need(size >= 1 && size <= static_cast<std::int64_t>(free.size()), "size: from 1 to the free nodes");
}

nb::tuple centre_of(const Axes& axes, Numbers free, Numbers centres, std::int64_t size) {
    need_choice(axes, free, centres, size);
    auto best = best_centre(axes, flat(free), flat(centres), size);
    return nb::make_tuple(best.node, best.cost, made(std::move(best.nodes)));
}

std::tuple<std::int64_t, std::int64_t, std::int64_t> swap_of(const Axes& axes, Numbers chosen, Numbers others,
                                                             Numbers near, Numbers far, std::int64_t most) {
    need_indices(flat(chosen), axes.nodes, "chosen");
    need_indices(flat(others), axes.nodes, "others");
    need(chosen.size() > 0 && others.size() > 0, "chosen, others: some of each");
    need(near.size() == chosen.size() && far.size() == others.size(), "near, far: one for each node");
    const auto swap = least_swap(axes, flat(chosen), flat(others), flat(near), flat(far), most);
    return {swap.leaving, swap.entering, swap.change};
}

std::int64_t improve_choice(const Axes& axes, Array<std::int64_t> chosen, Array<std::int64_t> others) {
    need_indices(flat(chosen), axes.nodes, "chosen");
    need_indices(flat(others), axes.nodes, "others");
    return improve(axes, flat(chosen), flat(others));
}

std::int64_t on_tree(Numbers first, std::int64_t down, Numbers free, Numbers centres, std::int64_t size) {
    const auto levels = flat(first);
    need(levels.size() >= 2 && levels[0] == 0 && down > 0 && levels[1] > 0 && levels[1] < std::int64_t{1} << 40,
         "first: where levels begin");
    for (std::size_t level = 1; level + 1 < levels.size(); ++level) {
        need(levels[level + 1] - levels[level] == (levels[level] - levels[level - 1]) / down &&
                 (levels[level] - levels[level - 1]) % down == 0, "first: each level has one for `down` of the one below");
    }
    need(levels.back() - levels[levels.size() - 2] == 1, "first: one subtree at the top");
    need_indices(flat(free), levels[1], "free");
    need_indices(flat(centres), levels[1], "centres");
    need(std::is_sorted(free.data(), free.data() + free.size()), "free: in increasing order");
    need(std::adjacent_find(free.data(), free.data() + free.size()) == free.data() + free.size(), "free: each once");
    need(size >= 2 && size <= static_cast<std::int64_t>(free.size()), "size: from 2 to the free nodes");
    return best_on_tree(levels, down, flat(free), flat(centres), size);
}

nb::tuple subset_of(Array<const std::int64_t, 2> distance, Array<const std::int64_t, 2> near, std::int64_t size,
                    std::int64_t known, std::int64_t most) {
    const auto free = distance.shape(0);
    need(distance.shape(1) == free && near.shape(0) == free && near.shape(1) == free, "distance, near: square, alike");
    need(size >= 1 && size <= static_cast<std::int64_t>(free), "size: from 1 to the free nodes");
    auto best = best_subset(flat(distance), flat(near), size, known, most);
    return nb::make_tuple(made(std::move(best.nodes)), best.cost, best.steps);
}

Made<std::int32_t> corners_of(Numbers here, Numbers sizes, Numbers shift, Numbers ends, Numbers strides) {
    const auto dims = sizes.size();
    std::int64_t points = 1, corners = 1;
    need(dims > 0 && shift.size() == dims && ends.size() == dims && strides.size() == dims + 1, "one for each dimension");
    for (std::size_t d = 0; d < dims; ++d) {
        need(sizes(d) > 0 && shift(d) >= 0 && shift(d) < sizes(d), "shift: less than the size");
        need(ends(d) >= sizes(d) && ends(d) < 2 * sizes(d) && strides(d) == corners, "ends, strides: of the unrolled grid");
        points *= sizes(d);
        corners *= ends(d) + 1;
        need(points < std::int64_t{1} << 32 && corners < std::int64_t{1} << 40, "sizes: not too many points");
    }
    need(strides(dims) == corners && here.size() == static_cast<std::size_t>(points), "here: one for each point");
    return made(sum_below(flat(here), flat(sizes), flat(shift), flat(ends), flat(strides)));
}

std::pair<std::int64_t, std::int64_t> box_of(const Axes& axes, Array<const std::int32_t> corners, Numbers strides,
                                             Numbers shift, Numbers ends, Numbers free, Numbers below, Numbers above,
                                             std::int64_t size) {
    const auto dims = axes.dims();
    need(strides.size() == dims && shift.size() == dims && ends.size() == dims && below.size() == dims &&
             above.size() == dims, "one for each dimension");
    std::int64_t count = 1;
    for (std::size_t d = 0; d < dims; ++d) {
        need(strides(d) == count && shift(d) >= 0 && ends(d) >= axes.sizes[d] + shift(d) && ends(d) < 1 << 20,
             "strides, shift, ends: of the unrolled grid");
        need(below(d) >= 0 && above(d) >= 0 && below(d) < 1 << 20 && above(d) < 1 << 20, "below, above: from 0");
        count *= ends(d) + 1;
        need(count < std::int64_t{1} << 40, "ends: not too many corners");
    }
    need(corners.size() == static_cast<std::size_t>(count), "corners: one for each");
    need_indices(flat(free), axes.nodes, "free");
    need(size <= static_cast<std::int64_t>(free.size()), "size: no more than are free");
    for (const auto node : flat(free)) {  // so that a box of all places has enough
        std::int64_t at = 0;
        for (std::size_t d = 0; d < dims; ++d) at += (axes.place(d, node) + shift(d)) * strides(d);
        need(at < count, "free: in the grid");
    }
    return best_box(axes, {flat(corners), flat(strides), flat(shift), flat(ends)}, flat(free), flat(below), flat(above),
                    size);
}

std::int64_t batch(const Axes& lattice, std::int64_t each, Numbers order, Array<const std::int32_t> here,
                   Numbers centres, std::int64_t size) {
    need_lattice(lattice);
    need(here.size() == static_cast<std::size_t>(lattice.nodes) && order.size() == here.size() && centres.size() > 0,
         "here, order: of all points; centres: some");
    need_indices(flat(here), each + 1, "here");
    need_indices(flat(order), lattice.nodes, "order");
    need_indices(flat(centres), lattice.nodes, "centres");
    const auto free = std::accumulate(here.data(), here.data() + here.size(), std::int64_t{0});
    const auto sides = std::accumulate(lattice.sizes.begin(), lattice.sizes.end(), std::int64_t{0});
    const auto most = std::max({lattice.farthest(), lattice.most_places(), lattice.sizes[0] * each, 2 * each});
    need(free < std::int64_t{1} << 31 && size >= 1 && size <= free, "size: from 1 to the free nodes");
    need(sides < 1 << 15 && most < 1 << 15, "lattice: of short sides");
    const bool few = free < 1 << 15 && size * size / 4 * lattice.most_places() < std::int64_t{1} << 31;
    return best_of_batch(lattice, each, flat(order), flat(here), flat(centres), size, most < 1 << 7, few);
}

}  // namespace

void bind_centres(nb::module_& module) {
    nb::class_<Axes>(module, "Axes", "The dimensions of a network.")
        .def("__init__", [](Axes* self, Array<const std::int64_t, 2> places, Numbers kinds, Numbers sizes,
                            Array<const std::int32_t, 2> table) { new (self) Axes(axes_of(places, kinds, sizes, table)); },
             arg("places"), arg("kinds"), arg("sizes"), arg("table"));
    module.def("farthest", [](const Axes& axes) { return axes.farthest(); }, arg("axes"));
    module.def("best_centre", &centre_of, arg("axes"), arg("free"), arg("centres"), arg("size"));
    module.def("least_swap", &swap_of, arg("axes"), arg("chosen"), arg("others"), arg("near"), arg("far"), arg("most"));
    module.def("improve", &improve_choice, arg("axes"), arg("chosen").noconvert(), arg("others").noconvert());
    module.def("best_on_tree", &on_tree, arg("first"), arg("down"), arg("free"), arg("centres"), arg("size"));
    module.def("best_subset", &subset_of, arg("distance"), arg("near"), arg("size"), arg("known"), arg("most"));
    module.def("sum_below", &corners_of, arg("here"), arg("sizes"), arg("shift"), arg("ends"), arg("strides"));
    module.def("best_box", &box_of, arg("axes"), arg("corners"), arg("strides"), arg("shift"), arg("ends"), arg("free"),
               arg("below"), arg("above"), arg("size"));
    module.def("best_of_batch", &batch, arg("lattice"), arg("each"), arg("order"), arg("here"), arg("centres"),
               arg("size"));
}

}  // namespace netplace::scheduling
