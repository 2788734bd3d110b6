#include "apps/runs.hpp"
#include "netplace/arrays.hpp"

namespace netplace::apps {
namespace {

using nb::arg;

Made<std::int64_t> earliest(Array<const std::int64_t> first, Array<const std::int64_t> need_of,
                            Array<const std::int64_t> packets, Array<const std::int64_t> created,
                            Array<const std::int64_t> cycles, std::int64_t packet_phits, std::int64_t rate, std::int64_t room,
                            std::int64_t hops) {
    const auto operations = static_cast<std::int64_t>(need_of.size());
    need(first.size() > 0 && first(0) == 0 && first(first.size() - 1) == operations, "first: from 0 to all operations");
    for (std::size_t task = 0; task + 1 < first.size(); ++task) need(first(task) <= first(task + 1), "first: goes up");
    need(packets.size() == need_of.size() && created.size() == need_of.size() && cycles.size() == need_of.size(),
         "arrays: one value an operation");
    need_indices(flat(need_of), operations, "need", -1);
    need(packet_phits > 0 && rate > 0 && room >= 0 && hops > 0, "injection: expected positive numbers");
    return made(earliest_ends(flat(first), flat(need_of), flat(packets), flat(created), flat(cycles),
                              {packet_phits, rate, room, hops}));
}

Made<std::int64_t> stands_of(Array<const std::int64_t> first, Array<const std::int32_t> task_of,
                             Array<const std::int64_t> need_of) {
    const auto operations = static_cast<std::int64_t>(need_of.size());
    need(first.size() > 0 && first(0) == 0 && first(first.size() - 1) == operations, "first: from 0 to all operations");
    for (std::size_t task = 0; task + 1 < first.size(); ++task) need(first(task) <= first(task + 1), "first: goes up");
    need(task_of.size() == need_of.size(), "task_of, need: one value an operation");
    need_indices(flat(task_of), static_cast<std::int64_t>(first.size()) - 1, "task_of");
    need_indices(flat(need_of), operations, "need", -1);
    return made(stands(flat(first), flat(task_of), flat(need_of)));
}

}  // namespace
}  // namespace netplace::apps

void bind_apps(nanobind::module_& module) {
    using namespace netplace::apps;
    module.def("earliest_ends", &earliest, arg("first"), arg("need"), arg("packets"), arg("created"), arg("cycles"),
               arg("packet_phits"), arg("rate"), arg("room"), arg("hops"),
               "Return the least cycle in which each task can end.");
    module.def("stands", &stands_of, arg("first"), arg("task_of"), arg("need"),
               "Return where each task comes to stand; first[task + 1] if it ends.");
}
