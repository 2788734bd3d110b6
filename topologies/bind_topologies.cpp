#include <nanobind/stl/optional.h>

#include <optional>

#include "netplace/arrays.hpp"
#include "topologies/routing/tables.hpp"

namespace netplace::topologies {
namespace {

using nb::arg;

using Numbers = Array<const std::int64_t>;
using Grid = Array<const std::int64_t, 2>;
using Ports = Array<const std::int16_t, 3>;

Links links_of(const Grid& neighbor) {
    const Links links{static_cast<std::int64_t>(neighbor.shape(0)), static_cast<std::int64_t>(neighbor.shape(1)), flat(neighbor)};
    need(links.switches < 1 << 28 && links.ports < 1 << 15, "neighbor: too many switches or ports");
    need_indices(links.neighbor, links.switches, "neighbor", -1);
    return links;
}

Table table_of(const Links& links, const Ports& ports) {
    const Table table{links.switches, static_cast<std::int64_t>(ports.shape(2)), flat(ports)};
    need(ports.shape(0) == ports.shape(1) && static_cast<std::int64_t>(ports.shape(0)) == links.switches,
         "ports: one row and one column a switch");
    need_indices(table.ports, links.ports, "ports", -1);
    bool wired = true;
    for (std::int64_t at = 0; at < links.switches; ++at) {
        const auto row = links.switches * table.width;
        for (const auto port : table.ports.subspan(at * row, row)) wired &= port < 0 || links.end(at, port) >= 0;
    }
    need(wired, "ports: one leads to no switch");
    return table;
}

std::span<const std::int64_t> weights_of(const Links& links, const std::optional<Grid>& weight) {
    if (!weight) return {};
    need(weight->size() == links.neighbor.size(), "weight: one value a port");
    need_indices(flat(*weight), std::int64_t{1} << 40, "weight", 1);
    return flat(*weight);
}

template <class T>
Made<T> costs(const Grid& neighbor, const std::optional<Grid>& weight, T none) {
    const auto links = links_of(neighbor);
    std::vector<T> cost(links.switches * links.switches);
    least_costs<T>(links, weights_of(links, weight), none, cost);
    return made(std::move(cost));
}

template <class T>
nb::tuple closer(const Grid& neighbor, const std::optional<Grid>& weight, const Array<const T, 2>& cost) {
    const auto links = links_of(neighbor);
    need(static_cast<std::int64_t>(cost.size()) == links.switches * links.switches, "cost: one value a pair of switches");
    std::int64_t width;
    auto ports = closer_ports<T>(links, weights_of(links, weight), flat(cost), width);
    return nb::make_tuple(made(std::move(ports)), width);
}

nb::tuple reach(const Grid& neighbor, const Ports& ports, const Grid& step) {
    const auto links = links_of(neighbor);
    need(step.size() == neighbor.size(), "step: one value a port");
    const auto size = static_cast<std::size_t>(links.switches * links.switches);
    std::vector<std::int32_t> hops(size), used(size), arrival(size);
    follow(links, table_of(links, ports), flat(step), hops, used, arrival);
    return nb::make_tuple(made(std::move(hops)), made(std::move(used)), made(std::move(arrival)));
}

Routing routing_of(const Grid& neighbor, const Ports& ports, const Grid& step, const Grid& kind, std::int64_t levels,
                   bool anew, const Numbers& ends) {
    const auto links = links_of(neighbor);
    need(step.size() == neighbor.size() && kind.size() == neighbor.size(), "step, kind: one value a port");
    need_indices(flat(step), 1 << 15, "step");
    need(levels > 0 && levels < (std::int64_t{1} << 31) / std::max<std::int64_t>(1, 2 * neighbor.size()), "levels: too many channels");
    need_indices(flat(ends), links.switches, "ends");
    return {links, table_of(links, ports), flat(step), flat(kind), levels, anew, flat(ends)};
}

nb::tuple shown(Waits&& found) {
    return nb::make_tuple(made(std::move(found.used)), made(std::move(found.waits)), found.circular, found.missing[0],
                          found.missing[1]);
}

nb::tuple table_ways(const Grid& neighbor, const Ports& ports, const Grid& step, const Grid& kind, std::int64_t levels,
                     bool anew, const Numbers& ends, const Numbers& sources, const Array<const std::int16_t, 2>& leads) {
    const auto routing = routing_of(neighbor, ports, step, kind, levels, anew, ends);
    need_indices(flat(sources), routing.links.switches, "sources");
    need(static_cast<std::int64_t>(leads.size()) == routing.links.switches * routing.links.switches,
         "leads: one value a pair of switches");
    return shown(follow_table(routing, flat(sources), flat(leads)));
}

nb::tuple detour_ways(const Grid& neighbor, const Ports& ports, const Grid& step, const Grid& kind, std::int64_t levels,
                      bool anew, const Numbers& ends, const Array<const std::int32_t, 2>& via, const Numbers& place,
                      const std::optional<Numbers>& group, bool valiant, bool par) {
    const auto routing = routing_of(neighbor, ports, step, kind, levels, anew, ends);
    const auto count = routing.links.switches;
    need(via.shape(0) == 1 || static_cast<std::int64_t>(via.shape(0)) == count, "via: one row, or one a switch");
    need_indices(flat(via), count, "via");
    need(static_cast<std::int64_t>(place.size()) == count, "place: one value a switch");
    need_indices(flat(place), count, "place", -1);
    need(group ? static_cast<std::int64_t>(group->size()) == count : !par, "group: one value a switch");
    if (group) need_indices(flat(*group), 1 << 28, "group");
    const Detours detours{static_cast<std::int64_t>(via.shape(1)), flat(via), flat(place),
                          group ? flat(*group) : std::span<const std::int64_t>{}, valiant, par};
    return shown(follow_detours(routing, detours));
}

}  // namespace
}  // namespace netplace::topologies

void bind_topologies(nanobind::module_& module) {
    using namespace netplace::topologies;
    module.def("all_hops", [](const Grid& neighbor) { return costs<std::int16_t>(neighbor, std::nullopt, -1); },
               arg("neighbor"), "Return the hops between all switches, row by row; -1 if there is no way.");
    module.def("least_costs", [](const Grid& neighbor, const Grid& weight) { return costs<std::int64_t>(neighbor, weight, 1 << 30); },
               arg("neighbor"), arg("weight"), "Return the least sums of weights between all switches; 2**30 if there is no way.");
    module.def("closer_ports", &closer<std::int16_t>, arg("neighbor"), arg("weight").none(), arg("cost").noconvert(),
               "Return the ports that lead closer, row by row, and the largest number of them.");
    module.def("closer_ports", &closer<std::int64_t>, arg("neighbor"), arg("weight").none(), arg("cost").noconvert());
    module.def("reach", &reach, arg("neighbor"), arg("ports"), arg("step"),
               "Return the most hops, the highest level on a link and the level behind the last one, row by row.");
    module.def("table_ways", &table_ways, arg("neighbor"), arg("ports"), arg("step"), arg("kind"), arg("levels"), arg("anew"),
               arg("ends"), arg("sources"), arg("leads"),
               "Return the channels in use, those that wait for each other, whether in a ring, and two switches without a way.");
    module.def("detour_ways", &detour_ways, arg("neighbor"), arg("ports"), arg("step"), arg("kind"), arg("levels"),
               arg("anew"), arg("ends"), arg("via"), arg("place"), arg("group").none(), arg("valiant"), arg("par"),
               "Return the same for packets that may go through an intermediate switch.");
}
