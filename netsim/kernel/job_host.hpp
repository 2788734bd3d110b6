// Jobs on a network: they get nodes, start, end, and can be stopped, inspected and forgotten.
#pragma once

#include <vector>

#include "network.hpp"

namespace netplace {

// Settings of the network that affect its jobs.
struct HostingRules {
    bool record = false;   // the start and end of each message are kept
    std::int64_t classes = 1;
};

// State of the tasks of a running job, by task.
struct Progress {
    std::vector<std::int64_t> pc, rounds, lapped;
    std::vector<std::uint8_t> runs;
};

// A task that has not ended, and its current operation.
struct StandingTask {
    std::int64_t job;
    std::int32_t task;
    std::int32_t pc;
    bool at_injector;  // its packet finds no room
    int kind;          // operation; of a task behind its last: compute
};

// Start a job whose task n sits on nodes[n] in cycle `now`; return its number.
std::int64_t install(Hosts& hosts, const HostingRules& rules, std::shared_ptr<const Code> code,
                     std::vector<std::int32_t> nodes, std::int64_t times, const std::vector<std::int32_t>& classes);
// Stop a running job: its tasks do nothing from cycle `now` on, and its packets are no longer reported.
void stop(Hosts& hosts, const HostingRules& rules, std::int64_t number);
// Return whether a job has ended and none of its packets is in flight.
bool drained(const Hosts& hosts, const Job& job);
// The end of a job, -1 while it runs; the keys of one that has ended are used again.
Cycle end_of(Hosts& hosts, std::int64_t number);
void forget(Hosts& hosts, std::int64_t number);
// Jobs, not forgotten, that have some of these keys.
std::vector<std::int64_t> owners(const Hosts& hosts, const std::vector<std::uint32_t>& keys);
Progress progress(const Hosts& hosts, const Job& job);
std::vector<StandingTask> standing_tasks(const Hosts& hosts);
// Replace the open-loop traffic from cycle `now` on; without keys there is none.
void generate(Hosts& hosts, const HostingRules& rules, const Chance& chance, Sources sources);
// The cycles that a running task lost to full injectors before a cycle.
inline Cycle lost_before(const Node& node, Cycle now) {
    return node.lost + (node.since >= 0 ? now - node.since : 0);
}

}  // namespace netplace
