#include <nanobind/stl/pair.h>

#include <type_traits>
#include <variant>

#include "netplace/arrays.hpp"
#include "placement/mapping/qap/large/locations.hpp"
#include "placement/mapping/qap/searches.hpp"

namespace netplace::placement {
namespace {

using nb::arg;
using Numbers = Array<const std::int64_t>;
using Doubles = Array<const double>;
using AnyMatrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// ---- Tabu search

std::int64_t tabu(Array<const double, 2> A, Array<const double, 2> AT, Array<double, 2> costs,
                  Array<double, 2> costs_back, bool symmetric, Array<double, 2> gain, Array<double, 2> until,
                  Array<double, 2> free, std::int64_t rows, Array<std::int64_t> place, Array<std::int64_t> best,
                  Array<double> state, nb::handle rng, std::int64_t iterations, double low, double high) {
    const auto n = A.shape(0);
    for (const auto* shape : {&A, &AT}) need(shape->shape(0) == n && shape->shape(1) == n, "matrices: square, alike");
    for (const auto* shape : {&costs, &costs_back, &gain, &until, &free}) {
        need(shape->shape(0) == n && shape->shape(1) == n, "matrices: square, alike");
    }
    need(place.size() == n && best.size() == n && state.size() == 3, "place, best: of all; state: of three numbers");
    need(rows >= 0 && rows < static_cast<std::int64_t>(n), "rows: less than the locations");
    TabuProblem problem{static_cast<std::int64_t>(n), rows, A.data(), AT.data(), costs.data(), costs_back.data(),
                        symmetric, gain.data(), until.data(), free.data(), flat(place), flat(best), flat(state)};
    return problem.search(draws_of(rng), iterations, low, high);
}

// ---- Annealing of sparse flows

// A problem with its arrays, checked once.
class Sparse {
public:
    Sparse(Numbers first, Numbers other, Doubles flow, Numbers back_first, Numbers back_other, Doubles back_flow,
           Doubles own, AnyMatrix costs, AnyMatrix costs_back, Numbers active, Array<const std::int64_t, 2> near)
        : numbers_{first, other, back_first, back_other, active}, doubles_{flow, back_flow, own}, near_(near),
          costs_{costs, costs_back} {
        const auto n = static_cast<std::int64_t>(costs.shape(0));
        need(static_cast<std::int64_t>(costs.shape(1)) == n && costs_back.shape(0) == costs.shape(0) &&
                 costs_back.shape(1) == costs.shape(1) && costs.dtype() == costs_back.dtype(), "costs: square, alike");
        need(static_cast<std::int64_t>(own.size()) == n && static_cast<std::int64_t>(first.size()) == n + 1 &&
                 static_cast<std::int64_t>(back_first.size()) == n + 1, "flows: of every task");
        need_lists(flat(first), flat(other), flow.size(), n, "flows: lists of tasks");
        need_lists(flat(back_first), flat(back_other), back_flow.size(), n, "flows back: lists of tasks");
        need_indices(flat(active), n, "active");
        need_indices(flat(near), n, "near");
        need(static_cast<std::int64_t>(near.shape(0)) == n, "near: a row for each location");
        const auto as = [&](auto number) {
            using Cost = decltype(number);
            const auto all = static_cast<std::size_t>(n * n);
            problem_ = SparseProblem<Cost>{
                {flat(first), flat(other), flat(flow)}, {flat(back_first), flat(back_other), flat(back_flow)}, flat(own),
                {static_cast<const Cost*>(costs.data()), all}, {static_cast<const Cost*>(costs_back.data()), all}, n,
                flat(active), flat(near), static_cast<std::int64_t>(near.shape(1))};
        };
        if (costs.dtype() == nb::dtype<double>()) as(double{});
        else if (costs.dtype() == nb::dtype<float>()) as(float{});
        else if (costs.dtype() == nb::dtype<std::int16_t>()) as(std::int16_t{});
        else refuse("costs: float64, float32 or int16");
    }

    Made<double> samples(Numbers place, nb::handle rng, std::int64_t count) const {
        return std::visit([&](const auto& problem) {
            need(static_cast<std::int64_t>(place.size()) == problem.locations && count >= 0, "place: of every task");
            need(count == 0 || !problem.active.empty(), "active: some");
            need_indices(flat(place), problem.locations, "place");
            return made(problem.samples(flat(place), draws_of(rng), count));
        }, problem_);
    }

    void anneal(Array<std::int64_t> place, Array<std::int64_t> holder, Array<std::int64_t> best, Array<double> state,
                nb::handle rng, std::int64_t sweeps, double temperature, double targeted) const {
        std::visit([&](const auto& problem) {
            const auto n = static_cast<std::size_t>(problem.locations);
            need(place.size() == n && holder.size() == n && best.size() == n && state.size() == 3,
                 "place, holder, best: of all; state: of three numbers");
            need_indices(flat(place), problem.locations, "place");
            need_indices(flat(holder), problem.locations, "holder");
            problem.anneal(flat(place), flat(holder), flat(best), flat(state), draws_of(rng), sweeps, temperature,
                           targeted);
        }, problem_);
    }

private:
    Numbers numbers_[5];  // what the problem refers to
    Doubles doubles_[3];
    Array<const std::int64_t, 2> near_;
    AnyMatrix costs_[2];
    std::variant<SparseProblem<double>, SparseProblem<float>, SparseProblem<std::int16_t>> problem_;
};

// ---- Large problems

void make_locations(Locations* self, std::int64_t kind, Array<const float, 2> places, Array<const float> steps,
                    AnyMatrix table, Array<const std::int32_t> home) {
    need(kind >= 0 && kind <= 4, "kind: one of 0 to 4");
    Locations made{static_cast<Pricing>(kind), {places.data(), places.data() + places.size()},
                   static_cast<std::int64_t>(places.shape(0)), static_cast<std::int64_t>(places.shape(1)),
                   {steps.data(), steps.data() + steps.size()}, {}, {}, static_cast<std::int64_t>(table.shape(1)),
                   {home.data(), home.data() + home.size()}, table.dtype() == nb::dtype<std::int16_t>()};
    if (made.is_short) {
        const auto* numbers = static_cast<const std::int16_t*>(table.data());
        made.short_table.assign(numbers, numbers + table.size());
    } else {
        need(table.dtype() == nb::dtype<float>(), "table: int16 or float32");
        const auto* numbers = static_cast<const float*>(table.data());
        made.float_table.assign(numbers, numbers + table.size());
    }
    const auto rows = static_cast<std::int64_t>(table.shape(0)), width = made.width;
    need(home.size() == places.shape(0) && table.size() > 0, "home: of every location; table: of one number at least");
    const auto wanted = made.kind == Pricing::table ? 1 : made.kind == Pricing::twist ? 3 : width;
    need(static_cast<std::int64_t>(steps.size()) >= wanted, "steps: as many as the kind takes");
    if (made.kind == Pricing::table) {
        need(rows == made.table_width, "table: square");
        need_indices(flat(home), rows, "home");
    }
    if (made.kind == Pricing::twist) {
        const auto side = made.steps[0], high = made.steps[1], twist = made.steps[2];
        need(width == 2 && side >= 1 && high >= 1 && twist >= 0 && twist <= side &&
                 side <= static_cast<float>(made.table_width) && high <= static_cast<float>(rows),
             "steps: sides and twist of the table");
        for (std::int64_t location = 0; location < made.count; ++location) {
            const auto* place = made.place(location);
            need(place[0] >= 0 && place[0] < side && place[1] >= 0 && place[1] < high, "places: on the torus");
        }
    }
    new (self) Locations(std::move(made));
}

Made<double> prices(const Locations& locations, Array<const std::int32_t> ours, Array<const std::int32_t> theirs) {
    need(ours.size() == theirs.size(), "pairs: of two locations each");
    need_indices(flat(ours), locations.count, "locations");
    need_indices(flat(theirs), locations.count, "locations");
    std::vector<double> costs(ours.size());
    for (std::size_t pair = 0; pair < costs.size(); ++pair) costs[pair] = locations.price(ours(pair), theirs(pair));
    return made(std::move(costs));
}

void make_level(Level* self, Array<const std::int32_t> first, Array<const std::int32_t> other, Array<const float> flow,
                const Locations& locations, Array<const std::int32_t, 2> near, std::int64_t fixed) {
    const auto tasks = static_cast<std::int64_t>(first.size()) - 1;
    need_lists(flat(first), flat(other), flow.size(), tasks, "flows: lists of tasks");
    need(static_cast<std::int64_t>(near.shape(0)) == locations.count, "near: a row for each location");
    need_indices(flat(near), locations.count, "near");
    new (self) Level{{first.data(), first.data() + first.size()}, {other.data(), other.data() + other.size()},
                     {flow.data(), flow.data() + flow.size()}, &locations, {near.data(), near.data() + near.size()},
                     static_cast<std::int64_t>(near.shape(1)), fixed};
}

void need_places(const Level& level, std::span<const std::int32_t> place) {
    need(static_cast<std::int64_t>(place.size()) == level.tasks(), "place: of every task");
    need_indices(place, level.locations->count, "place", -1);
}

void need_holders(const Level& level, std::span<const std::int32_t> holder) {
    need(static_cast<std::int64_t>(holder.size()) == level.locations->count, "holder: of every location");
    need_indices(holder, level.tasks(), "holder", -1);
}

double cost_of(const Level& level, Array<const std::int32_t> place) {
    need_places(level, flat(place));
    return level.cost(flat(place));
}

double inside_of(const Level& level, Array<const std::int32_t> place) {
    need_places(level, flat(place));
    return level.inside(flat(place));
}

std::pair<double, double> propose(const Level& level, Array<std::int32_t> place, Array<std::int32_t> holder,
                                  Array<const std::int32_t> active, double temperature, std::int64_t count,
                                  nb::handle rng) {
    need_places(level, {place.data(), place.size()});
    need_holders(level, {holder.data(), holder.size()});
    need_indices(flat(active), level.tasks(), "active");
    need(active.size() > 0 && level.nearest > 0, "active, near: some");
    for (const auto task : flat(active)) need(place(task) >= 0, "active: tasks that have a location");
    for (std::size_t location = 0; location < holder.size(); ++location) {
        need(holder(location) < 0 || place(holder(location)) == static_cast<std::int32_t>(location), "holder: as placed");
    }
    return level.propose(flat(place), flat(holder), flat(active), temperature, count, draws_of(rng));
}

void grow(const Level& level, Array<std::int32_t> place, Array<std::int32_t> holder, Array<std::int32_t> active,
          Array<double> said, Array<std::int64_t> turn, Array<std::int32_t> stamp, std::int64_t placed,
          std::int64_t target, std::int64_t task, std::int64_t location) {
    need_places(level, {place.data(), place.size()});
    need_holders(level, {holder.data(), holder.size()});
    const auto tasks = level.tasks();
    need(active.size() == place.size() && said.size() == place.size() && turn.size() == place.size() &&
             stamp.size() == holder.size(), "active, said, turn: of every task; stamp: of every location");
    need(placed >= 0 && placed <= target && target <= tasks, "target: of the tasks");
    need(placed == std::count_if(place.data(), place.data() + tasks, [](auto at) { return at >= 0; }), "placed: as many");
    need(target - placed <= std::count_if(holder.data(), holder.data() + holder.size(), [](auto u) { return u < 0; }),
         "target: no more than there are free locations");
    need(task >= 0 && task < tasks && location >= 0 && location < level.locations->count, "task, location: to begin with");
    need(placed == 0 || (active(placed - 1) >= 0 && active(placed - 1) < tasks && place(active(placed - 1)) >= 0),
         "active: the tasks placed");
    Growing{flat(place), flat(holder), flat(active), flat(said), flat(turn), flat(stamp)}.grow(level, placed, target, task,
                                                                                               location);
}

Made<std::int64_t> hops(Array<const std::int32_t> first, Array<const std::int32_t> other, std::int64_t start) {
    const auto tasks = static_cast<std::int64_t>(first.size()) - 1;
    need_lists(flat(first), flat(other), other.size(), tasks, "flows: lists of tasks");
    need(start >= 0 && start < tasks, "start: a task");
    return made(hops_from(flat(first), flat(other), start));
}

Made<std::int64_t> matched(Array<const std::int32_t> first, Array<const std::int32_t> other, Array<const float> flow,
                           Numbers order, std::int64_t last) {
    const auto count = static_cast<std::int64_t>(first.size()) - 1;
    need_lists(flat(first), flat(other), flow.size(), count, "flows: lists of tasks");
    need_indices(flat(order), count, "order");
    return made(match(flat(first), flat(other), flat(flow), flat(order), last));
}

}  // namespace

void bind_qap(nb::module_& module) {
    module.def("tabu", &tabu, arg("A"), arg("AT"), arg("costs").noconvert(), arg("costs_back").noconvert(),
               arg("symmetric"), arg("gain").noconvert(), arg("until").noconvert(), arg("free").noconvert(), arg("rows"),
               arg("place").noconvert(), arg("best").noconvert(), arg("state").noconvert(), arg("rng"),
               arg("iterations"), arg("low"), arg("high"));
    nb::class_<Sparse>(module, "Sparse", "A problem whose flows are listed task by task.")
        .def(nb::init<Numbers, Numbers, Doubles, Numbers, Numbers, Doubles, Doubles, AnyMatrix, AnyMatrix, Numbers,
                      Array<const std::int64_t, 2>>(),
             arg("first"), arg("other"), arg("flow"), arg("back_first"), arg("back_other"), arg("back_flow"), arg("own"),
             arg("costs"), arg("costs_back"), arg("active"), arg("near"))
        .def("samples", &Sparse::samples, arg("place"), arg("rng"), arg("count"))
        .def("anneal", &Sparse::anneal, arg("place").noconvert(), arg("holder").noconvert(), arg("best").noconvert(),
             arg("state").noconvert(), arg("rng"), arg("sweeps"), arg("temperature"), arg("targeted"));
    nb::class_<Locations>(module, "Locations", "Locations among which costs are computed.")
        .def("__init__", &make_locations, arg("kind"), arg("places"), arg("steps"), arg("table"), arg("home"))
        .def("prices", &prices, arg("ours"), arg("theirs"));
    nb::class_<Level>(module, "Level", "A large problem: flows, locations, and those near each.")
        .def("__init__", &make_level, arg("first"), arg("other"), arg("flow"), arg("locations"), arg("near"),
             arg("fixed"), nb::keep_alive<1, 5>())
        .def("cost", &cost_of, arg("place"))
        .def("inside", &inside_of, arg("place"))
        .def("propose", &propose, arg("place").noconvert(), arg("holder").noconvert(), arg("active"), arg("temperature"),
             arg("count"), arg("rng"))
        .def("grow", &grow, arg("place").noconvert(), arg("holder").noconvert(), arg("active").noconvert(),
             arg("said").noconvert(), arg("turn").noconvert(), arg("stamp").noconvert(), arg("placed"), arg("target"),
             arg("task"), arg("location"));
    module.def("hops_from", &hops, arg("first"), arg("other"), arg("start"));
    module.def("match", &matched, arg("first"), arg("other"), arg("flow"), arg("order"), arg("last"));
}

}  // namespace netplace::placement
