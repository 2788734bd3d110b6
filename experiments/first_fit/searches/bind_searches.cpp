#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "experiments/bind_experiments.hpp"
#include "experiments/first_fit/searches/searches.hpp"
#include "netplace/arrays.hpp"

namespace netplace::experiments {
namespace {

using nb::arg;
using Numbers = Array<const std::int64_t>;
using Flags = Array<const bool>;

void need_shape(Sides sizes, Sides shape) {
    need(shape.size() == sizes.size(), "shape: a side for each dimension");
    for (std::size_t d = 0; d < sizes.size(); ++d) need(shape[d] >= 1 && shape[d] <= sizes[d], "shape: fits the network");
}

void need_box(Sides sizes, Sides shape, std::int64_t base, bool wraps) {
    need(base >= 0 && base < need_sides(sizes), "base: a node");
    need_shape(sizes, shape);
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        need(wraps || base % sizes[d] + shape[d] <= sizes[d], "shape: ends in the mesh");
        base /= sizes[d];
    }
}

template <Found (*Search)(std::span<const bool>, Sides, Sides, bool)>
Found over_nodes(Flags held, Numbers sizes, Numbers shape, bool wraps) {
    need(need_sides(flat(sizes)) == static_cast<std::int64_t>(held.size()), "held: a flag for each node");
    need_shape(flat(sizes), flat(shape));
    return Search(flat(held), flat(sizes), flat(shape), wraps);
}

void need_boxes(Array<const std::int64_t, 2> boxes, Sides sizes) {
    const auto dims = sizes.size();
    need(boxes.shape(1) == 2 * dims, "boxes: a place and a side in each dimension");
    for (std::size_t i = 0; i < boxes.shape(0); ++i) {
        for (std::size_t d = 0; d < dims; ++d) {
            need(boxes(i, d) >= 0 && boxes(i, d) < sizes[d] && boxes(i, dims + d) >= 1 && boxes(i, dims + d) <= sizes[d],
                 "boxes: in the network");
        }
    }
}

Found scan(Array<const std::int64_t, 2> boxes, Numbers sizes, Numbers shape, bool wraps) {
    need_sides(flat(sizes));
    need_shape(flat(sizes), flat(shape));
    need_boxes(boxes, flat(sizes));
    return adaptive_scan(flat(boxes), static_cast<std::int64_t>(boxes.shape(0)), flat(sizes), flat(shape), wraps);
}

Found segments(Array<const std::int64_t, 2> boxes, Numbers sizes, Numbers shape) {
    need_sides(flat(sizes));
    need(sizes.size() == 2, "sizes: of two dimensions");
    need_shape(flat(sizes), flat(shape));
    need_boxes(boxes, flat(sizes));
    return right_border_segments(flat(boxes), static_cast<std::int64_t>(boxes.shape(0)), flat(sizes), flat(shape));
}

class Iff {
public:
    Iff(const std::vector<std::int64_t>& sizes, bool wraps)
        : sizes_(sizes), wraps_(wraps), count_(need_sides(sizes_)), runs_(sizes.size() * count_), left_(count_),
          whose_(count_), jumps_(count_), seen_(count_) {
        std::int64_t stride = 1;
        for (std::size_t d = 0; d < sizes_.size(); ++d) {
            for (std::int64_t node = 0; node < count_; ++node) {
                const auto left = wraps ? sizes_[d] : sizes_[d] - node / stride % sizes_[d];
                runs_[d * count_ + node] = static_cast<std::int32_t>(left);
            }
            stride *= sizes_[d];
        }
    }

    std::tuple<std::int64_t, std::int64_t, std::int64_t> find(const std::vector<std::int64_t>& shape) {
        need_shape(sizes_, shape);
        return iff(nodes(), sizes_, shape, wraps_);
    }
    std::int64_t change(std::int64_t base, const std::vector<std::int64_t>& shape, bool free) {
        need_box(sizes_, shape, base, wraps_);
        return change_iff(nodes(), sizes_, shape, base, free, wraps_);
    }

private:
    IffNodes nodes() { return {runs_, left_, whose_, jumps_, seen_}; }

    std::vector<std::int64_t> sizes_;
    bool wraps_;
    std::int64_t count_;
    std::vector<std::int32_t> runs_, left_, whose_, jumps_;
    std::vector<std::uint8_t> seen_;
};

}  // namespace

void bind_first_fit(nb::module_& module) {
    module.def("naive_first_fit", &over_nodes<naive_first_fit>, arg("held"), arg("sizes"), arg("shape"), arg("wraps"));
    module.def("zhu_first_fit", &over_nodes<zhu_first_fit>, arg("held"), arg("sizes"), arg("shape"), arg("wraps"));
    module.def("adaptive_scan", &scan, arg("boxes"), arg("sizes"), arg("shape"), arg("wraps"));
    module.def("right_border_segments", &segments, arg("boxes"), arg("sizes"), arg("shape"));
    nb::class_<Iff>(module, "Iff", "Runs of free nodes along all dimensions of a mesh or torus, all free at first.")
        .def(nb::init<const std::vector<std::int64_t>&, bool>(), arg("sizes"), arg("wraps"))
        .def("find", &Iff::find, arg("shape"))
        .def("change", &Iff::change, arg("base"), arg("shape"), arg("free"))
        .def("__deepcopy__", [](const Iff& self, const nb::dict&) { return Iff(self); }, arg("memo"));
}

}  // namespace netplace::experiments
