#include "netplace/arrays.hpp"
#include "scheduling/contiguity.hpp"

namespace netplace::scheduling {

void bind_centres(nb::module_& module);
void bind_partitioner(nb::module_& module);
void bind_pss(nb::module_& module);

namespace {

using nb::arg;
using Numbers = Array<const std::int64_t>;

void need_nodes(Numbers nodes, std::int64_t machine) {
    need(nodes.size() > 0, "nodes: one at least");
    need_indices(flat(nodes), machine, "nodes");
}

bool filled(Numbers nodes, Numbers sizes, Array<const bool> rings) {
    need(sizes.size() == rings.size(), "rings: one for each size");
    need_nodes(nodes, need_sides(flat(sizes)));
    return fill_box(flat(nodes), flat(sizes), flat(rings));
}

bool fitting(Numbers nodes, Array<const std::int64_t, 2> subtree, Array<const std::int64_t, 2> part) {
    need(subtree.shape(0) == part.shape(0) && subtree.shape(1) == part.shape(1), "part: of the shape of subtree");
    const auto machine = static_cast<std::int64_t>(subtree.shape(1));
    need_nodes(nodes, machine);
    return fit_subtree(flat(nodes), machine, flat(subtree), flat(part));
}

bool connected(Numbers nodes, Numbers home, Array<const std::int32_t, 2> neighbor, std::int64_t first) {
    need_nodes(nodes, static_cast<std::int64_t>(home.size()));
    need(neighbor.shape(1) > 0, "neighbor: one port at least");
    return are_connected(flat(nodes), flat(home), flat(neighbor), static_cast<std::int64_t>(neighbor.shape(1)), first);
}

void bind_contiguity(nb::module_& module) {
    module.def("fill_box", &filled, arg("nodes"), arg("sizes"), arg("rings"));
    module.def("fit_subtree", &fitting, arg("nodes"), arg("subtree"), arg("part"));
    module.def("are_connected", &connected, arg("nodes"), arg("home"), arg("neighbor"), arg("first"));
}

}  // namespace
}  // namespace netplace::scheduling

void bind_scheduling(nanobind::module_& module) {
    netplace::scheduling::bind_contiguity(module);
    netplace::scheduling::bind_centres(module);
    netplace::scheduling::bind_partitioner(module);
    netplace::scheduling::bind_pss(module);
}
