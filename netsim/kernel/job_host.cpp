#include "job_host.hpp"

#include <algorithm>

#include "chance.hpp"

namespace netplace {
namespace {

// Take back what ended jobs and stopped traffic have no packets for any more.
void recycle(Hosts& hosts) {
    std::erase_if(hosts.jobs.ending, [&](std::int32_t place) {
        const bool done = drained(hosts, *hosts.jobs.at[place]);
        if (done) hosts.jobs.release(place);
        return done;
    });
    std::erase_if(hosts.old_sources, [&](const auto& keys) {
        if (!hosts.jobs.at_rest(keys.first, keys.second)) return false;
        hosts.jobs.key_ranges.give(keys.first, keys.second);
        return true;
    });
}

// Take the messages of some keys out of those that take turns at a node.
template <class Condition>
void drop_turns(Pool<Turn>& turns, Node& node, Condition is_ours) {
    std::int32_t* at = &node.first_turn;
    node.last_turn = -1;
    while (*at >= 0) {
        const std::int32_t entry = *at;
        if (is_ours(turns[entry].label >> 2)) {
            *at = turns[entry].next;
            turns.give(entry);
        } else {
            node.last_turn = entry;
            at = &turns[entry].next;
        }
    }
    node.shares = node.first_turn >= 0;
}

// Whether a node has a packet of some keys still to create.
template <class Condition>
bool owes(const Hosts& hosts, std::int32_t number, Condition is_ours) {
    const Node& node = hosts.nodes[number];
    Desk& desk = const_cast<Hosts&>(hosts).desk_of(number);  // which is only read
    if (node.left > 0 && is_ours(node.under >> 2)) return true;
    for (std::int32_t at = node.first_turn; at >= 0; at = desk.turns[at].next)
        if (is_ours(desk.turns[at].label >> 2)) return true;
    for (std::int32_t at = node.first_due; at >= 0; at = desk.due_messages[at].next)
        if (is_ours(static_cast<std::uint32_t>(desk.due_messages[at].order))) return true;
    return false;
}

void mark_ending(Hosts& hosts, Job& job) {
    if (!job.keyed || job.ending) return;
    job.ending = true;
    hosts.jobs.ending.push_back(hosts.jobs.place.at(job.number));
}

}  // namespace

bool drained(const Hosts& hosts, const Job& job) {
    if (job.end < 0) return false;
    if (!job.keyed) return true;
    const std::int64_t begin = job.first_key, end = begin + job.code->keys();
    const auto is_ours = [&](std::int64_t key) { return begin <= key && key < end; };
    if (job.code->by_rendezvous > 0 || job.code->interleaved)
        for (std::int32_t node : job.nodes)
            if (owes(hosts, node, is_ours)) return false;
    return hosts.jobs.at_rest(job.first_key, job.code->keys());
}

std::int64_t install(Hosts& hosts, const HostingRules& rules, std::shared_ptr<const Code> code,
                     std::vector<std::int32_t> nodes, std::int64_t times, const std::vector<std::int32_t>& classes) {
    if (!code) throw std::invalid_argument("program: there is none");
    if (rules.record && code->loops) throw std::invalid_argument("program: messages of iterations in a loop have no numbers");
    if (times < 1 || times >> 31 != 0) throw std::invalid_argument("times: " + std::to_string(times) + " is not from 1 to 2^31 - 1");
    if (static_cast<std::int64_t>(nodes.size()) != code->tasks())
        throw std::invalid_argument("placement: not one node for each task");
    for (std::int32_t node : nodes) {
        if (node < 0 || static_cast<std::size_t>(node) >= hosts.nodes.size())
            throw std::invalid_argument("placement: node " + std::to_string(node) + " does not exist");
        if (hosts.nodes[node].job >= 0)
            throw std::invalid_argument("placement: node " + std::to_string(node) + " is used by another job");
    }
    std::vector<std::int32_t> sorted = nodes;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) throw std::invalid_argument("placement: node " + std::to_string(*twice) + " is given twice");
    if (!classes.empty() && static_cast<std::int64_t>(classes.size()) != code->keys())
        throw std::invalid_argument("traffic classes: not one for each key");
    for (std::int32_t number : classes)
        if (number < 0 || number >= rules.classes) throw std::invalid_argument("traffic classes: no such class");
    recycle(hosts);
    auto made = std::make_unique<Job>();
    Job& job = *made;
    job.number = hosts.jobs.started++;
    job.start = hosts.now();
    job.times = times;
    job.first_key = hosts.jobs.take_keys(code->keys());
    job.task_end.assign(nodes.size(), -1);
    job.task_lost.assign(nodes.size(), 0);
    if (rules.record) {
        job.message_start.assign(code->messages, -1);
        job.message_end.assign(code->messages, -1);
    }
    job.nodes = std::move(nodes);
    job.code = std::move(code);
    hosts.jobs.add(std::move(made));
    const std::int32_t place = hosts.jobs.place.at(job.number);
    const Code& program = *job.code;
    for (std::int64_t n = 0; n < program.keys(); ++n) {
        Key& key = hosts.jobs.keys[job.first_key + n];
        key.length = key.to_go = program.packets[n];
        key.source = job.nodes[program.source[n]];
        key.target = job.nodes[program.target[n]];
        key.job = place;
        key.owner = static_cast<std::int32_t>(job.number + 1);
        if (rules.record) key.newest = key.oldest = static_cast<std::int32_t>(program.first_message[n]);
        if (!classes.empty()) key.traffic_class = classes[n];
    }
    for (std::int64_t task = 0; task < program.tasks(); ++task) {
        if (program.first[task] == program.first[task + 1]) {
            job.task_end[task] = job.start;
            continue;
        }
        ++job.running;
        Node& node = hosts.nodes[job.nodes[task]];
        node.program = program.operations.data();
        node.pc = static_cast<std::int32_t>(program.first[task]);
        node.stop = static_cast<std::int32_t>(program.first[task + 1]);
        node.job = place;
        node.task = static_cast<std::int32_t>(task);
        node.waits = -1;
        node.first_key = job.first_key;
        node.rounds = static_cast<std::int32_t>(times - 2);
        node.busy_until = node.lost = 0;
        node.since = -1;
        node.lapped = job.start;
        hosts.wake(job.nodes[task]);
    }
    if (job.running == 0) {
        job.end = job.start;
        hosts.desks.front().ended = true;
    }
    return job.number;
}

// Take nodes from the lists of those to act that have nothing to do any more: a network at rest simulates no cycle.
void dismiss(Hosts& hosts) {
    for (Desk& desk : hosts.desks) {
        for (int side = 0; side < 2; ++side) {
            desk.acting[side].erase_if([&](std::uint32_t number) {
                Node& node = hosts.nodes[number];
                const bool done = node.job < 0 && node.left == 0 && node.first_due < 0 && !node.shares && node.next_draw < 0;
                if (done) node.listed &= static_cast<std::uint8_t>(~(1 << side));
                return done;
            });
        }
    }
}

void stop(Hosts& hosts, const HostingRules& rules, std::int64_t number) {
    Job& job = hosts.jobs.of(number);
    if (job.end >= 0) throw std::invalid_argument("job " + std::to_string(number) + ": has ended");
    const std::int32_t place = hosts.jobs.place.at(number);
    const std::int64_t begin = job.first_key, end = begin + job.code->keys();
    const Cycle now = hosts.now();
    const auto is_ours = [&](std::int64_t key) { return begin <= key && key < end; };
    job.stopped = true;
    std::vector<std::uint32_t> computing;
    for (std::int32_t number_of_node : job.nodes) {
        Node& node = hosts.nodes[number_of_node];
        if (node.job == place) {
            job.task_end[node.task] = now;
            job.task_lost[node.task] = lost_before(node, now);
            if (node.busy_until >= now) computing.push_back(2 * static_cast<std::uint32_t>(number_of_node));
            node.job = node.waits = -1;
            node.since = -1;
            node.busy_until = 0;
            node.outstanding = 0;
            node.outstanding_packets = 0;
        }
        if (is_ours(node.under >> 2)) node.left = 0;
        drop_turns(hosts.desk_of(number_of_node).turns, node, is_ours);
        auto& owed = hosts.desk_of(number_of_node).due_messages;
        std::int32_t* at = &node.first_due;  // take what it owes out of the interface
        while (*at >= 0) {
            DueMessage& due = owed[*at];
            if (is_ours(static_cast<std::uint32_t>(due.order))) {
                const std::int32_t entry = *at;
                *at = due.next;
                owed.give(entry);
            } else {
                at = &due.next;
            }
        }
        // A packet of another may wait for room as well.
        const bool owing = node.left > 0 || node.first_due >= 0 || node.shares;
        node.blocked = node.drawn > 0 || (node.blocked && (owing || node.since >= 0));
    }
    job.running = 0;
    job.end = now;
    for (std::int64_t n = begin; n < end; ++n) {
        Key& key = hosts.jobs.keys[n];
        if (!rules.record) {
            auto& open = hosts.desk_of(key.source).open_messages;
            while (key.oldest >= 0) {
                const std::int32_t entry = key.oldest;
                key.oldest = open[entry].next;
                open.give(entry);
            }
            key.newest = -1;
        }
        key.target = ~key.target;
    }
    mark_ending(hosts, job);
    std::sort(computing.begin(), computing.end());
    const auto runs_out = [&](std::uint32_t timer) { return std::binary_search(computing.begin(), computing.end(), timer); };
    for (Desk& desk : hosts.desks) desk.timers.drop_if(runs_out);
    dismiss(hosts);
}

Cycle end_of(Hosts& hosts, std::int64_t number) {
    Job& job = hosts.jobs.of(number);
    if (job.end >= 0) mark_ending(hosts, job);
    return job.end;
}

void forget(Hosts& hosts, std::int64_t number) {
    Job& job = hosts.jobs.of(number);
    if (job.end < 0) throw std::invalid_argument("job " + std::to_string(number) + ": has not ended");
    mark_ending(hosts, job);
    hosts.jobs.forget(number);
}

std::vector<std::int64_t> owners(const Hosts& hosts, const std::vector<std::uint32_t>& keys) {
    std::vector<std::int64_t> numbers;
    for (const auto& job : hosts.jobs.at) {
        if (!job || !job->keyed || job->forgotten) continue;
        const auto is_ours = [&](std::int64_t key) { return job->first_key <= key && key < job->first_key + job->code->keys(); };
        if (std::any_of(keys.begin(), keys.end(), is_ours)) numbers.push_back(job->number);
    }
    return numbers;
}

Progress progress(const Hosts& hosts, const Job& job) {
    Progress told;
    for (std::size_t task = 0; task < job.nodes.size(); ++task) {
        const Node& node = hosts.nodes[job.nodes[task]];
        const bool runs = node.job >= 0 && hosts.jobs.at[node.job].get() == &job;
        told.runs.push_back(runs);
        told.pc.push_back(node.pc);
        told.rounds.push_back(node.rounds);
        told.lapped.push_back(node.lapped);
    }
    return told;
}

std::vector<StandingTask> standing_tasks(const Hosts& hosts) {
    std::vector<StandingTask> standing;
    for (const Node& node : hosts.nodes) {
        if (node.job < 0) continue;
        const int kind = node.pc < node.stop ? static_cast<int>(node.program[node.pc] & ((1 << kind_bits) - 1)) : op_compute;
        standing.push_back({hosts.jobs.at[node.job]->number, node.task, node.pc, node.since >= 0, kind});
    }
    return standing;
}

void generate(Hosts& hosts, const HostingRules& rules, const Chance& chance, Sources sources) {
    const std::int64_t nodes = static_cast<std::int64_t>(hosts.nodes.size());
    for (Desk& desk : hosts.desks) desk.timers.drop_if([](std::uint32_t timer) { return timer & 1; });
    for (Node& node : hosts.nodes) {
        if (node.next_draw < 0) continue;
        node.next_draw = -1;
        node.drawn = 0;
        node.blocked = node.blocked && (node.since >= 0 || node.left > 0 || node.first_due >= 0 || node.shares);
    }
    dismiss(hosts);
    if (hosts.sources.keys > 0) hosts.old_sources.emplace_back(hosts.sources.first_key, static_cast<std::int32_t>(hosts.sources.keys));
    hosts.sources = {};
    if (sources.keys == 0) return;
    if (static_cast<std::int64_t>(sources.target.size()) != nodes)
        throw std::invalid_argument("traffic target: not one for each node");
    sources.first_key = hosts.jobs.take_keys(sources.keys);
    for (std::int64_t n = 0; n < sources.keys; ++n) {
        Key& key = hosts.jobs.keys[sources.first_key + n];
        key.source = static_cast<std::int32_t>(n / static_cast<std::int64_t>(hosts.desks.size()));
        key.traffic_class = static_cast<std::int32_t>(rules.classes) - 1;
    }
    hosts.sources = std::move(sources);
    for (std::int32_t node = 0; node < nodes; ++node) {
        if (hosts.sources.target[node] == node) continue;
        const Cycle due = hosts.now() + gap(chance.draw(Purpose::gap, node, 0, hosts.now()), hosts.sources.log_stay[node]);
        hosts.nodes[node].next_draw = due;
        hosts.desk_of(node).timers.set(hosts.now(), due, 2u * static_cast<std::uint32_t>(node) + 1);
    }
}

}  // namespace netplace
