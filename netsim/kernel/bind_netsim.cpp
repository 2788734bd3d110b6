// What Python sees of the kernel: a network, a program, a job's records. Errors are ValueError with a sentence.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "engine.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace netplace;

namespace {

using Long = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Short = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using Tuple = nb::typed<nb::tuple, nb::any, nb::ellipsis>;
using Listed = nb::typed<nb::list, nb::any>;
using Numbers = nb::typed<nb::dict, nb::str, nb::int_>;
using Arrays = nb::typed<nb::dict, nb::str, nb::any>;

template <class T, class A>
std::vector<T> taken(const A& array) {
    return {array.data(), array.data() + array.size()};
}

// A NumPy array that owns the numbers of a vector.
template <class T>
auto given(std::vector<T> numbers) {
    auto* kept = new std::vector<T>(std::move(numbers));
    nb::capsule owner(kept, [](void* vector) noexcept { delete static_cast<std::vector<T>*>(vector); });
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

// A description: `plan` with these settings in place of its own, and arrays.
Description description_of(const Plan& plan, Numbers settings, Arrays arrays) {
    Description description{plan, {}};
    std::size_t known = 0;
    description.plan.for_each([&](const char* name, std::int64_t& value) {
        if (!settings.contains(name)) return;
        value = nb::cast<std::int64_t>(settings[name]);
        ++known;
    });
    if (known != settings.size()) throw std::invalid_argument("network: a setting is unknown");
    for (auto [name, array] : arrays)
        description.arrays[nb::cast<std::string>(name)] = taken<std::int32_t>(nb::cast<Short>(array));
    return description;
}

// Let parts of a network go down; return packets lost, packets sent again, and the jobs of those lost.
Tuple fail(AnyNetwork& network, Numbers routing, Arrays arrays, bool again) {
    const Losses losses = network.fail(description_of(network.plan(), routing, arrays), again);
    const std::vector<std::uint32_t> keys(losses.keys.begin(), losses.keys.end());
    return nb::make_tuple(losses.lost, losses.again, owners(network.hosts(), keys));
}

std::shared_ptr<Code> code_of(Long operations, Long first, Short source, Short target, Long packets, Long first_message,
                              std::int64_t messages, std::int64_t by_rendezvous, bool interleaved) {
    auto code = std::make_shared<Code>();
    code->operations = taken<std::int64_t>(operations);
    code->first = taken<std::int64_t>(first);
    code->source = taken<std::int32_t>(source);
    code->target = taken<std::int32_t>(target);
    code->packets = taken<std::int64_t>(packets);
    code->first_message = taken<std::int64_t>(first_message);
    code->messages = messages;
    code->by_rendezvous = by_rendezvous;
    code->interleaved = interleaved;
    code->check();
    return code;
}

void generate_on(AnyNetwork& network, Doubles chances, Short target, Short among, Long first, Short destination, Doubles until,
                 std::int32_t hot_node, double hot_share, bool by_node) {
    const auto nodes = static_cast<std::int32_t>(network.plan().nodes);
    Sources sources;
    if (chances.size() > 0 && nodes > 1) {
        sources.target = taken<std::int32_t>(target);
        sources.among = taken<std::int32_t>(among);
        sources.first = taken<std::int64_t>(first);
        sources.destination = taken<std::int32_t>(destination);
        sources.until = taken<double>(until);
        const auto size = static_cast<std::int64_t>(until.size());
        for (const auto& [list, low] : {std::pair(&sources.target, -1), std::pair(&sources.among, 0), std::pair(&sources.destination, 0)})
            for (std::int32_t node : *list)
                if (node < low || node >= nodes) throw std::invalid_argument("traffic: node " + std::to_string(node) + " does not exist");
        if (hot_node < -1 || hot_node >= nodes) throw std::invalid_argument("traffic: the hot node does not exist");
        if (sources.among.size() == 1) throw std::invalid_argument("traffic among: there is one node alone");
        const bool by_pair = first.size() > 0;
        const auto count = static_cast<std::size_t>(nodes);
        if (chances.size() != count || target.size() != count || destination.size() != until.size() || (by_pair && first.size() != count + 1))
            throw std::invalid_argument("traffic: not one value for each node or pair");
        for (std::int32_t node = 0; node < nodes; ++node) {
            sources.log_stay.push_back(chances(node) < 1 ? std::log1p(-chances(node)) : -INFINITY);
            if (by_pair && target(node) < 0 && !(0 <= first(node) && first(node) < first(node + 1) && first(node + 1) <= size))
                throw std::invalid_argument("traffic rates: node " + std::to_string(node) + " has no destination");
        }
        sources.hot_node = hot_node;
        sources.hot_share = hot_share;
        sources.by_node = by_node;
        const std::int64_t domains = network.plan().domains;
        sources.keys = (by_node ? nodes : domains) * domains;
    }
    generate(network.hosts(), network.rules(), Chance(static_cast<std::uint64_t>(network.plan().seed)), std::move(sources));
}

Tuple record_of(AnyNetwork& network, std::int64_t number, Cycle now) {
    Hosts& hosts = network.hosts();
    const Job& job = hosts.jobs.of(number);
    std::vector<Cycle> lost = job.task_lost;
    for (std::size_t task = 0; task < lost.size(); ++task)
        if (job.task_end[task] < 0) lost[task] = lost_before(hosts.nodes[job.nodes[task]], now);
    return nb::make_tuple(job.start, job.end, job.stopped, given(job.task_end), given(std::move(lost)),
                          given(job.message_start), given(job.message_end));
}

Tuple progress_of(AnyNetwork& network, std::int64_t number) {
    Hosts& hosts = network.hosts();
    const Job& job = hosts.jobs.of(number);
    Progress told = progress(hosts, job);
    std::vector<std::int64_t> spare;
    for (std::int64_t n = 0; n < job.code->keys(); ++n) spare.push_back(hosts.jobs.keys[job.first_key + n].have);
    return nb::make_tuple(given(std::move(told.pc)), given(std::move(told.rounds)), given(std::move(told.lapped)),
                          given(std::move(told.runs)), given(std::move(spare)));
}

// Let each task of a job have done so many more iterations, after which so many packets of each key are spare.
void skip(AnyNetwork& network, std::int64_t number, Long counts, Long spare) {
    Hosts& hosts = network.hosts();
    const Job& job = hosts.jobs.of(number);
    if (job.end >= 0) throw std::invalid_argument("skip: the job has ended");
    if (counts.size() != job.nodes.size() || static_cast<std::int64_t>(spare.size()) != job.code->keys())
        throw std::invalid_argument("skip: not one number for each task and key");
    const std::int32_t place = hosts.jobs.place.at(number);
    for (std::size_t task = 0; task < job.nodes.size(); ++task) {
        const Node& node = hosts.nodes[job.nodes[task]];
        if (node.job == place && (counts.data()[task] < 0 || counts.data()[task] > std::max(0, node.rounds)))
            throw std::invalid_argument("skip: a task has not so many iterations left");
    }
    for (std::size_t n = 0; n < spare.size(); ++n) hosts.jobs.keys[job.first_key + n].have = spare.data()[n];
    for (std::size_t task = 0; task < job.nodes.size(); ++task) {
        Node& node = hosts.nodes[job.nodes[task]];
        if (node.job != place) continue;
        node.rounds -= static_cast<std::int32_t>(counts.data()[task]);
        if (node.waits >= 0) hosts.wake(job.nodes[task]);
    }
}

Tuple totals_of(AnyNetwork& network) {
    Totals totals = network.totals();
    return nb::make_tuple(totals.created, totals.delivered, totals.gone, totals.events, totals.packet_delay,
                          totals.message_delay, totals.last_delivery, given(std::move(totals.packet_delays)),
                          given(std::move(totals.message_delays)));
}

Listed pointers_of(const AnyNetwork& network) {
    Listed told;
    for (auto& pointers : network.pointers()) told.append(given(std::move(pointers)));
    return told;
}

// Set the clock of a network in which nothing happens before `now`.
void set_now(AnyNetwork& network, Cycle now) {
    const Cycle before = network.hosts().now();
    Cycle due = never;
    for (const Desk& desk : network.hosts().desks) due = std::min(due, desk.next_event(desk.now));
    if (now < before || now > std::min(due, never / 2))
        throw std::invalid_argument("now: cycle " + std::to_string(now) + " is past, or behind what happens next");
    for (Desk& desk : network.hosts().desks) desk.now = now;
}

int run_until(AnyNetwork& network, Cycle until) {
    Hosts& hosts = network.hosts();
    if (hosts.torn) throw std::invalid_argument("network: it could not go on in the middle of a cycle; make it anew");
    if (until < hosts.now()) return static_cast<int>(Exit::reached);
    bool& ended = hosts.desks.front().ended;
    if (ended) {
        ended = false;
        return static_cast<int>(Exit::job_ended);
    }
    nb::gil_scoped_release released;
    hosts.torn = true;
    const Exit outcome = network.run(until);
    hosts.torn = false;
    return static_cast<int>(outcome);
}

}  // namespace

void bind_netsim(nb::module_& module) {
    nb::class_<Code>(module, "Code", "A program as the engine reads it.");
    module.def("code", &code_of, "operations"_a, "first"_a, "source"_a, "target"_a, "packets"_a, "first_message"_a,
               "messages"_a, "by_rendezvous"_a, "interleaved"_a);
    module.def(
        "network", [](Numbers settings, Arrays arrays) { return make_network(description_of({}, settings, arrays)); },
        "settings"_a, "arrays"_a);
    nb::class_<AnyNetwork>(module, "Network", "A network, the jobs on it, and what they have done so far.")
        .def_prop_rw("now", [](AnyNetwork& network) { return network.hosts().now(); }, &set_now)
        .def_prop_ro("quiet_since", [](AnyNetwork& network) {
            Cycle quiet = 0;
            for (const Desk& desk : network.hosts().desks) quiet = std::max(quiet, desk.quiet);
            return quiet;
        })
        .def("run", &run_until, "until"_a)
        .def("install",
             [](AnyNetwork& network, std::shared_ptr<Code> code, Short nodes, std::int64_t times, Short classes) {
                 return install(network.hosts(), network.rules(), std::move(code),
                                taken<std::int32_t>(nodes), times, taken<std::int32_t>(classes));
             })
        .def("stop", [](AnyNetwork& network, std::int64_t number) { stop(network.hosts(), network.rules(), number); })
        .def("end", [](AnyNetwork& network, std::int64_t number) { return end_of(network.hosts(), number); })
        .def("drained", [](AnyNetwork& network, std::int64_t number) { return drained(network.hosts(), network.hosts().jobs.of(number)); })
        .def("forget", [](AnyNetwork& network, std::int64_t number) { forget(network.hosts(), number); })
        .def("generate", &generate_on)
        .def("record", &record_of)
        .def("progress", &progress_of)
        .def("skip", &skip)
        .def("standing_tasks",
             [](AnyNetwork& network) {
                 Listed tasks;
                 for (const auto& task : standing_tasks(network.hosts()))
                     tasks.append(nb::make_tuple(task.job, task.task, task.pc, task.at_injector, task.kind));
                 return tasks;
             })
        .def("blocked_fifos",
             [](AnyNetwork& network) {
                 Listed fifos;
                 for (const auto& fifo : network.blocked())
                     fifos.append(nb::make_tuple(fifo.router, fifo.input, fifo.packets, fifo.wants));
                 return fifos;
             })
        .def("waiting",
             [](AnyNetwork& network) -> Tuple {
                 Waited told = network.waiting();
                 return nb::make_tuple(given(std::move(told.by_job)), given(std::move(told.by_link)), told.waited);
             })
        .def("watch", &AnyNetwork::watch, "job"_a)
        .def("watched",
             [](AnyNetwork& network) {
                 Listed told;
                 for (auto& [job, cycles] : network.watched()) told.append(nb::make_tuple(job, given(std::move(cycles))));
                 return told;
             })
        .def("fail", &fail, "routing"_a, "arrays"_a, "again"_a)
        .def("pace", [](AnyNetwork& network, Arrays links) { network.pace(description_of(network.plan(), {}, links)); },
             "links"_a)
        .def("totals", &totals_of)
        .def("reset_totals", &AnyNetwork::reset_totals)
        .def("link_packets", [](const AnyNetwork& network) { return given(network.link_packets()); })
        .def("still_crossing", [](const AnyNetwork& network) { return given(network.still_crossing()); })
        .def("pointers", &pointers_of)
        .def("set_pointers", &AnyNetwork::set_pointers);
}
