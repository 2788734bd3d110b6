#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "experiments/bind_experiments.hpp"
#include "experiments/local_backfilling/simulator/timeline.hpp"
#include "netplace/arrays.hpp"

namespace netplace::experiments {
namespace {

using nb::arg;
using Numbers = Array<const std::int64_t>;

PlaceRule rule_of(std::int64_t family, bool forced) {
    need(family >= 0 && family <= static_cast<std::int64_t>(Family::block_tightest), "rule: one of its families");
    return {static_cast<Family>(family), forced};
}

void need_blocks(std::span<const std::int64_t> blocks) {
    need(!blocks.empty() && blocks[0] >= 1 && blocks.back() < std::int64_t{1} << 31, "blocks: of one processor or more");
    for (std::size_t level = 1; level < blocks.size(); ++level)
        need(blocks[level] >= blocks[level - 1] && blocks[level] % blocks[level - 1] == 0, "blocks: each of whole blocks");
}

void need_size(std::int64_t size, std::int64_t processors) {
    need(size >= 1 && size <= processors, "size: of 1 to all processors");
}

// Returns a flag for each processor, or None if the rule refuses.
std::optional<Made<std::uint8_t>> chosen(std::int64_t family, bool forced, Array<const bool> open, Numbers blocks,
                                          std::int64_t size) {
    need_blocks(flat(blocks));
    need(static_cast<std::int64_t>(open.size()) == flat(blocks).back(), "open: a flag for each processor");
    const Flags free(open.data(), open.data() + open.size());
    need_size(size, std::ranges::count(free, 1));
    Flags flags(free.size());
    const auto rule = rule_of(family, forced);
    if (!choose(rule, free, flat(blocks), size, flags)) return std::nullopt;
    return made(std::move(flags));
}

void make(Timeline* self, const std::vector<std::int64_t>& blocks, std::int64_t family, bool forced, double now) {
    need_blocks(blocks);
    new (self) Timeline(blocks, rule_of(family, forced), now);
}

void change(Timeline& self, double begin, double end, Numbers held, bool release) {
    need_indices(flat(held), self.processors(), "held");
    need(begin >= self.begins(), "begin: not before all that is known");
    self.change(begin, end, flat(held), release);
}

// Returns the first start and the processors.
std::pair<double, Made<std::int64_t>> earliest(Timeline& self, std::int64_t size, double wall, double now) {
    need_size(size, self.processors());
    const double start = self.earliest(size, wall, now);
    return {start, made(std::vector(self.held()))};
}

// Returns the processors, or None if the rule finds none.
std::optional<Made<std::int64_t>> at_once(Timeline& self, std::int64_t size, double wall, double now) {
    need_size(size, self.processors());
    if (!self.at_once(size, wall, now)) return std::nullopt;
    return made(std::vector(self.held()));
}

}  // namespace

void bind_local_backfilling(nb::module_& module) {
    module.def("choose", &chosen, arg("family"), arg("forced"), arg("open"), arg("blocks"), arg("size"));
    nb::class_<Timeline>(module, "Timeline", "Which processors are free from when to when; all for ever at first.")
        .def("__init__", &make, arg("blocks"), arg("family"), arg("forced"), arg("now"))
        .def("change", &change, arg("begin"), arg("end"), arg("held"), arg("release"))
        .def("earliest", &earliest, arg("size"), arg("wall"), arg("now"))
        .def("at_once", &at_once, arg("size"), arg("wall"), arg("now"));
}

}  // namespace netplace::experiments
