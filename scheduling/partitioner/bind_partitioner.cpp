#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "netplace/arrays.hpp"
#include "scheduling/partitioner/contiguous/bit_map.hpp"
#include "scheduling/partitioner/contiguous/boxes.hpp"
#include "scheduling/partitioner/pool.hpp"

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

void bind_pool(nb::module_& module) {
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
        .def("move", [](Pool& self, Numbers nodes, bool free) {
                 need_indices(flat(nodes), self.nodes(), "nodes");
                 self.move(flat(nodes), free);
             }, arg("nodes"), arg("free"))
        .def("__copy__", [](const Pool& self) { return Pool(self); });
}

}  // namespace

void bind_partitioner(nb::module_& module) {
    bind_contiguous(module);
    bind_pool(module);
}

}  // namespace netplace::scheduling
