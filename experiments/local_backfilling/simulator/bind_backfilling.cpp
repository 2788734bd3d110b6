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
using Reals = Array<const double>;

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

void change(Timeline& self, double begin, double end, Array<const std::uint64_t> held, bool release) {
    need(held.size() == self.words(), "held: the words of a set");
    need(begin >= self.begins(), "begin: not before all that is known");
    self.change(begin, end, flat(held), release);
}

std::pair<double, Made<std::uint64_t>> earliest(Timeline& self, std::int64_t size, double wall, double now) {
    need_size(size, self.processors());
    const double start = self.earliest(size, wall, now);
    return {start, made(Words(self.held()))};
}

std::pair<std::int64_t, Made<std::uint64_t>> first_now(Timeline& self, Numbers slots, Numbers sizes, Reals walls,
                                                       Reals starts, Array<const std::uint64_t, 2> sets,
                                                       std::int64_t begin, double now) {
    const auto count = static_cast<std::int64_t>(sizes.size());
    need(walls.size() == sizes.size() && starts.size() == sizes.size() && sets.shape(0) == sizes.size() &&
             sets.shape(1) == self.words(), "line: a size, a wall time, a start and a set in each slot");
    need_indices(flat(slots), count, "slots");
    for (const auto slot : flat(slots)) need_size(sizes(slot), self.processors());
    need(begin >= 0, "begin: a place in the line");
    const auto place = self.first_now({flat(slots), flat(sizes), flat(walls), flat(starts), flat(sets)}, begin, now);
    return {place, made(Words(self.held()))};
}

}  // namespace

void bind_local_backfilling(nb::module_& module) {
    module.def("choose", &chosen, arg("family"), arg("forced"), arg("open"), arg("blocks"), arg("size"));
    nb::class_<Timeline>(module, "Timeline", "Which processors are free from when to when; all for ever at first.")
        .def("__init__", &make, arg("blocks"), arg("family"), arg("forced"), arg("now"))
        .def("change", &change, arg("begin"), arg("end"), arg("held"), arg("release"))
        .def("earliest", &earliest, arg("size"), arg("wall"), arg("now"))
        .def("first_now", &first_now, arg("slots"), arg("sizes"), arg("walls"), arg("starts"), arg("sets"),
             arg("begin"), arg("now"));
}

}  // namespace netplace::experiments
