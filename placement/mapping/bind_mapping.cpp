#include "netplace/arrays.hpp"
#include "placement/mapping/link_load_search.hpp"
#include "placement/mapping/routed_links.hpp"

namespace netplace::placement {

void bind_qap(nb::module_& module);

namespace {

using nb::arg;
using Numbers = Array<const std::int64_t>;
using Doubles = Array<const double>;

Ways ways_of(Numbers first, Numbers link, Doubles share, std::int64_t switches, std::int64_t links) {
    need(switches >= 0 && switches < 1 << 24 && static_cast<std::int64_t>(first.size()) == switches * switches + 1,
         "ways: of every two switches");
    need_lists(flat(first), flat(link), share.size(), links, "ways: lists of links");
    return {flat(first), flat(link), flat(share), switches};
}

// A search with its arrays: what does not change is referred to, the rest is its own.
class Search {
public:
    Search(Numbers first, Numbers other, Doubles size, Numbers back_first, Numbers back_other, Doubles back_size,
           Numbers way_first, Numbers link, Doubles share, std::int64_t switches, Numbers place, Numbers home,
           Doubles loads, std::int64_t tasks)
        : numbers_{first, other, back_first, back_other, way_first, link}, doubles_{size, back_size, share},
          place_(place.data(), place.data() + place.size()), home_(home.data(), home.data() + home.size()),
          loads_(loads.data(), loads.data() + loads.size()) {
        const auto nodes = static_cast<std::int64_t>(place_.size());
        need(home_.size() == place_.size() && nodes > 0 && !loads_.empty(), "place, home: of every task; loads: some");
        need(static_cast<std::int64_t>(first.size()) == nodes + 1 && first.size() == back_first.size(), "flows: of every task");
        need_lists(flat(first), flat(other), size.size(), nodes, "flows: lists of tasks");
        need_lists(flat(back_first), flat(back_other), back_size.size(), nodes, "flows back: lists of tasks");
        need_indices(flat(home), switches, "home");
        need(tasks >= 0 && tasks <= nodes, "tasks: of those with a place");
        search_ = {{flat(first), flat(other), flat(size)}, {flat(back_first), flat(back_other), flat(back_size)},
                   ways_of(way_first, link, share, switches, static_cast<std::int64_t>(loads_.size())),
                   place_, home_, loads_, tasks};
    }
    Search(const Search&) = delete;
    Search& operator=(const Search&) = delete;

    double propose(nb::handle rng, double temperature, Array<double> changes) {
        return search_.propose(draws_of(rng), temperature, flat(changes));
    }
    void empty(nb::handle rng, double slack, Array<double> best) {
        need(best.size() == place_.size() + 1, "best: a load, and a place of every task");
        search_.empty(draws_of(rng), slack, flat(best));
    }
    Made<std::int64_t> place() const { return made(std::vector<std::int64_t>(place_)); }

private:
    Numbers numbers_[6];
    Doubles doubles_[3];
    std::vector<std::int64_t> place_, home_;
    std::vector<double> loads_;
    LinkSearch search_;
};

void add(Numbers first, Numbers link, Doubles share, std::int64_t switches, Numbers pair, Doubles size,
         Array<double> loads) {
    const auto ways = ways_of(first, link, share, switches, static_cast<std::int64_t>(loads.size()));
    need(pair.size() == size.size(), "pair, size: of each flow");
    need_indices(flat(pair), switches * switches, "pair");
    add_loads(ways, flat(pair), flat(size), flat(loads));
}

nb::tuple walk_table(Array<const std::int16_t, 3> ports, Array<const std::int64_t, 2> neighbor,
                     Array<const double, 2> weight, Numbers homes, bool counted) {
    const auto switches = neighbor.shape(0), wide = neighbor.shape(1);
    need(ports.shape(0) == switches && ports.shape(1) == switches && weight.shape(0) == switches &&
             weight.shape(1) == wide, "ports, neighbor, weight: of the same switches");
    const auto count = static_cast<std::int64_t>(switches);
    need_indices(flat(ports), static_cast<std::int64_t>(wide), "ports", -1);
    need_indices(flat(neighbor), count, "neighbor", -1);
    need_indices(flat(homes), count, "homes");
    auto walked = walk({flat(ports), flat(neighbor), flat(weight), count, static_cast<std::int64_t>(wide),
                        static_cast<std::int64_t>(ports.shape(2))}, flat(homes), counted);
    need(walked.leads, "ports: some way does not end");
    return nb::make_tuple(made(std::move(walked.first)), made(std::move(walked.link)), made(std::move(walked.share)));
}

}  // namespace
}  // namespace netplace::placement

void bind_placement(nanobind::module_& module) {
    using namespace netplace;
    using namespace netplace::placement;
    nb::class_<Search>(module, "LinkSearch", "Swaps of tasks, priced by what they do to the loads of links.")
        .def(nb::init<Numbers, Numbers, Doubles, Numbers, Numbers, Doubles, Numbers, Numbers, Doubles, std::int64_t,
                      Numbers, Numbers, Doubles, std::int64_t>(),
             arg("first"), arg("other"), arg("size"), arg("back_first"), arg("back_other"), arg("back_size"),
             arg("way_first"), arg("link"), arg("share"), arg("switches"), arg("place"), arg("home"), arg("loads"),
             arg("tasks"))
        .def("propose", &Search::propose, arg("rng"), arg("temperature"), arg("changes").noconvert())
        .def("empty", &Search::empty, arg("rng"), arg("slack"), arg("best").noconvert())
        .def("place", &Search::place);
    module.def("add_loads", &add, arg("first"), arg("link"), arg("share"), arg("switches"), arg("pair"), arg("size"),
               arg("loads").noconvert());
    module.def("walk_table", &walk_table, arg("ports"), arg("neighbor"), arg("weight"), arg("homes"), arg("counted"));
    bind_qap(module);
}
