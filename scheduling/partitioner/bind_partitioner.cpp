#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "netplace/arrays.hpp"
#include "scheduling/bind_scheduling.hpp"
#include "scheduling/partitioner/contiguous/bit_map.hpp"
#include "scheduling/partitioner/contiguous/boxes.hpp"
#include "scheduling/partitioner/free_nodes.hpp"

namespace netplace::scheduling {
namespace {

using nb::arg;
using Numbers = Array<const std::int64_t>;

void need_shape(std::span<const std::int64_t> sizes, std::span<const std::int64_t> shape) {
    need(shape.size() == sizes.size(), "shape: a side for each dimension");
    for (std::size_t d = 0; d < sizes.size(); ++d) need(shape[d] >= 1 && shape[d] <= sizes[d], "shape: fits the network");
}

Made<std::int64_t> nodes_of_box(Numbers sizes, std::int64_t base, Numbers shape) {
    need(base >= 0 && base < need_sides(flat(sizes)), "base: a node");
    need_shape(flat(sizes), flat(shape));
    return made(box_nodes(flat(sizes), base, flat(shape)));
}

std::pair<std::int64_t, std::int64_t> slide(Array<const bool> held, Numbers sizes, Numbers shape) {
    need(sizes.size() == 2 && need_sides(flat(sizes)) == static_cast<std::int64_t>(held.size()), "held: a flag a node");
    need_shape(flat(sizes), flat(shape));
    return slide_frame(flat(held), sizes(0), sizes(1), shape(0), shape(1));
}

void bind_contiguous(nb::module_& module) {
    module.def("box_nodes", &nodes_of_box, arg("sizes"), arg("base"), arg("shape"));
    module.def("slide_frame", &slide, arg("held"), arg("sizes"), arg("shape"));
    nb::class_<BitMap>(module, "BitMap", "A bit map of the free nodes of a mesh or torus, all held at first.")
        .def("__init__", [](BitMap* self, const Sides& sizes, bool wraps) {
                 need_sides(sizes);
                 need(sizes.size() >= 2, "sizes: of two dimensions at least");
                 new (self) BitMap(sizes, wraps);
             }, arg("sizes"), arg("wraps"))
        .def("fill", [](BitMap& self, std::int64_t base, const Sides& shape, bool free) {
                 need_shape(self.sizes(), shape);
                 need(base >= 0 && base < need_sides(self.sizes()), "base: a node");
                 std::int64_t rest = base;
                 for (std::size_t d = 0; d < shape.size(); ++d) {
                     need(self.wraps() || rest % self.sizes()[d] + shape[d] <= self.sizes()[d], "shape: ends in the mesh");
                     rest /= self.sizes()[d];
                 }
                 self.fill(base, shape, free);
             }, arg("base"), arg("shape"), arg("free"))
        .def("find", [](BitMap& self, const Sides& shape) {
                 need_shape(self.sizes(), shape);
                 return self.find(shape);
             }, arg("shape"))
        .def("__deepcopy__", [](const BitMap& self, const nb::dict&) { return BitMap(self); }, arg("memo"));
}

void bind_free_map(nb::module_& module) {
    nb::class_<FreeMap>(module, "FreeMap", "Which places of a line are free; all are at first.")
        .def("__init__", [](FreeMap* self, std::int64_t size) {
                 need(size >= 0 && size < std::int64_t{1} << 31, "size: from 0");
                 new (self) FreeMap(size);
             }, arg("size"))
        .def_prop_ro("free", &FreeMap::free)
        .def_prop_ro("words", &FreeMap::words)
        .def("first", [](const FreeMap& self, std::int64_t wanted) {
                 need(wanted >= 0 && wanted <= self.free(), "wanted: no more than are free");
                 auto [places, visited] = self.first(wanted);
                 return std::pair(made(std::move(places)), visited);
             }, arg("wanted"))
        .def("intervals", [](const FreeMap& self) {
                 auto [starts, lengths] = self.intervals();
                 return std::pair(made(std::move(starts)), made(std::move(lengths)));
             })
        .def("mark", [](FreeMap& self, Numbers places, bool free) { return self.mark(flat(places), free); },
             arg("places"), arg("free"))
        .def("__copy__", [](const FreeMap& self) { return FreeMap(self); });
    nb::class_<Pool>(module, "Pool", "Nodes, the free ones first, in any order; all are at first.")
        .def("__init__", [](Pool* self, std::int64_t nodes) {
                 need(nodes >= 0 && nodes <= 1 << 25, "nodes: from 0 to 2^25");
                 new (self) Pool(nodes);
             }, arg("nodes"))
        .def("draw", [](Pool& self, Numbers draws) {
                 need(static_cast<std::int64_t>(draws.size()) <= self.free(), "draws: no more than are free");
                 for (std::size_t i = 0; i < draws.size(); ++i) {
                     need(draws(i) >= static_cast<std::int64_t>(i) && draws(i) < self.free(), "draws: free entries not drawn");
                 }
                 return made(self.draw(flat(draws)));
             }, arg("draws"))
        .def("move", [](Pool& self, Numbers nodes, int step) {
                 need(step == 1 || step == -1, "step: 1 or -1");
                 return self.move(flat(nodes), step);
             }, arg("nodes"), arg("step"))
        .def_prop_ro("free", &Pool::free)
        .def("__copy__", [](const Pool& self) { return Pool(self); });
}

Wish wish_of(const SubtreeCounts& counts, std::int64_t level, std::int64_t nodes, std::int64_t outside, bool one_up) {
    need(level >= 0 && level < counts.levels(), "level: one of the tree");
    need(nodes >= 1 && nodes <= counts.free(), "nodes: no more than are free");
    return {level, nodes, outside, one_up};
}

void bind_subtrees(nb::module_& module) {
    nb::class_<SubtreeCounts>(module, "SubtreeCounts", "Free nodes of every subtree of a tree; all are at first.")
        .def("__init__", [](SubtreeCounts* self, std::int64_t down, std::int64_t stages) {
                 std::int64_t nodes = 1;
                 need(down >= 1 && stages >= 0 && stages < 64, "down, stages: of a tree");
                 for (std::int64_t stage = 0; stage < stages; ++stage) {
                     need(nodes <= (std::int64_t{1} << 28) / down, "down, stages: not too many nodes");
                     nodes *= down;
                 }
                 new (self) SubtreeCounts(down, stages);
             }, arg("down"), arg("stages"))
        .def("count", [](SubtreeCounts& self, Numbers nodes, int step) {
                 need(step == 1 || step == -1, "step: 1 or -1");
                 return self.count(flat(nodes), step);
             }, arg("nodes"), arg("step"))
        .def("choose", [](const SubtreeCounts& self, std::int64_t level, std::int64_t nodes, std::int64_t outside,
                          bool one_up) { return self.choose(wish_of(self, level, nodes, outside, one_up)); },
             arg("level"), arg("nodes"), arg("outside"), arg("one_up"))
        .def("find", [](const SubtreeCounts& self, std::int64_t level, std::int64_t nodes, std::int64_t outside,
                        bool one_up) {
                 auto [found, visited] = self.find(wish_of(self, level, nodes, outside, one_up));
                 return std::pair(made(std::move(found)), visited);
             }, arg("level"), arg("nodes"), arg("outside"), arg("one_up"))
        .def("release_until", [](SubtreeCounts& self, std::int64_t level, std::int64_t nodes, std::int64_t outside,
                                 bool one_up, Numbers released, Numbers ends) {
                 need(level >= 0 && level < self.levels(), "level: one of the tree");
                 need_indices(flat(ends), static_cast<std::int64_t>(released.size()) + 1, "ends");
                 need(std::is_sorted(ends.data(), ends.data() + ends.size()), "ends: in increasing order");
                 return self.release_until({level, nodes, outside, one_up}, flat(released), flat(ends));
             }, arg("level"), arg("nodes"), arg("outside"), arg("one_up"), arg("released"), arg("ends"))
        .def_prop_ro("free", &SubtreeCounts::free)
        .def("__copy__", [](const SubtreeCounts& self) { return SubtreeCounts(self); });
}

}  // namespace

void bind_partitioner(nb::module_& module) {
    bind_contiguous(module);
    bind_free_map(module);
    bind_subtrees(module);
}

}  // namespace netplace::scheduling
