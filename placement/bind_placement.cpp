#include "netplace/arrays.hpp"
#include "placement/bind_placement.hpp"
#include "placement/grid_loads.hpp"

namespace netplace::placement {
namespace {

using nb::arg;

void grid_loads(Array<const std::int64_t, 2> starts, Array<const std::int64_t, 2> ends, Array<const double> size,
                Array<const std::int64_t> sides, bool wraps, Array<const double> factorial, Array<double, 2> load) {
    const auto flows = size.size(), dims = sides.size();
    const std::int64_t nodes = need_sides(flat(sides), "sides");
    std::int64_t diameter = 0;
    for (const auto side : flat(sides)) diameter += wraps ? side / 2 : side - 1;
    need(starts.shape(0) == flows && starts.shape(1) == dims, "starts: one row a flow, one column a dimension");
    need(ends.shape(0) == flows && ends.shape(1) == dims, "ends: one row a flow, one column a dimension");
    need(load.shape(0) == static_cast<std::size_t>(nodes) && load.shape(1) == 2 * dims,
         "load: one row a node, two columns a dimension");
    need(static_cast<std::int64_t>(factorial.size()) > diameter, "factorial: from 0 to the diameter");
    for (std::size_t flow = 0; flow < flows; ++flow) {
        for (std::size_t d = 0; d < dims; ++d) {
            const auto start = starts(flow, d), end = ends(flow, d);
            need(start >= 0 && start < sides(d) && end >= 0 && end < sides(d), "coordinates outside the grid");
        }
    }
    add_grid_loads(flat(starts), flat(ends), flat(size), {flat(sides), wraps, flat(factorial)}, flat(load));
}

}  // namespace
}  // namespace netplace::placement

void bind_placement(nanobind::module_& module) {
    using namespace netplace::placement;
    module.def("add_grid_loads", &grid_loads, arg("starts"), arg("ends"), arg("size"), arg("sides"), arg("wraps"),
               arg("factorial"), arg("load").noconvert(), "Add the load of each flow to those of the links.");
    bind_mapping(module);
    bind_qap(module);
}
