#include "engine.hpp"

#include <algorithm>

namespace netplace {

const std::vector<std::int32_t>& Description::array(const char* name, std::int64_t size, std::int64_t low,
                                                    std::int64_t high) const {
    const auto found = arrays.find(name);
    if (found == arrays.end()) throw std::invalid_argument(std::string("network: no array ") + name);
    const auto& numbers = found->second;
    if (size >= 0 && static_cast<std::int64_t>(numbers.size()) != size)
        throw std::invalid_argument(std::string("network: array ") + name + " has " + std::to_string(numbers.size()) +
                                    " numbers, expected " + std::to_string(size));
    for (std::int32_t number : numbers)
        if (number < low || number > high)
            throw std::invalid_argument(std::string("network: array ") + name + " holds " + std::to_string(number) +
                                        ", expected " + std::to_string(low) + " to " + std::to_string(high));
    return numbers;
}

bool Plan::is_usual() const {
    return phits == 16 && queue == 4 && buffer == 4 && injectors == 1 && vcs == 2 && hop == 1 && single == 0 &&
           arbiter == static_cast<int>(Arbiter::round_robin) && bubble == 2;
}

bool Plan::is_plain() const {
    using P = PlainPlan;
    return phits == P::phits && queue == P::queue && buffer == P::buffer && injectors == P::injectors && single == P::single &&
           arbiter == P::arbiter && fabric == P::fabric && crossbar == P::crossbar && classes == P::classes &&
           ordered == P::ordered && window == P::window && ack == P::ack && rate == P::rate && marks == P::marks;
}

void Description::check() const {
    const auto in = [](const char* name, std::int64_t value, std::int64_t low, std::int64_t high) {
        if (value < low || value > high)
            throw std::invalid_argument(std::string(name) + ": " + std::to_string(value) + " is not between " +
                                        std::to_string(low) + " and " + std::to_string(high));
    };
    const std::int64_t many = 1 << 20;
    in("phits", plan.phits, 1, many), in("queue", plan.queue, 1, 1 << 15), in("buffer", plan.buffer, 1, 1 << 15);
    in("queue + buffer", plan.queue + plan.buffer, 2, (1 << 15) - 1);
    in("injectors", plan.injectors, 1, 1 << 10), in("vcs", plan.vcs, 1, 1 << 10), in("ports", plan.ports, 0, 1 << 12);
    in("routers", plan.routers, 1, plan.switches > 0 ? many - 1 : 1 << 25), in("nodes", plan.nodes, 1, plan.routers);
    in("hop", plan.hop, 1, 2 * many), in("policy", plan.policy, 0, 7), in("arbiter", plan.arbiter, 0, 4);
    in("bubble", plan.bubble, 0, many), in("domains", plan.domains, 1, 64);
    in("switches", plan.switches, 0, (1 << 15) - 1), in("most", plan.most, 0, plan.ports);
    in("escapes", plan.escapes, 0, 1), in("choice", plan.choice, 0, 4), in("spread", plan.spread, 0, 2);
    in("base", plan.base, 0, 63), in("injected", plan.injected, 0, 1 << 30), in("classes", plan.classes, 1, plan.vcs);
    in("via_row", plan.via_row, 0, many), in("via_count", plan.via_count, 0, many), in("ack", plan.ack, 0, 1 << 30);
    in("gain", plan.gain, 1, std::int64_t{1} << 40);
    if (plan.marks > 0) in("timer", plan.timer, 1, std::int64_t{1} << 40);
    if (plan.vcs % plan.classes != 0 || plan.injectors % plan.classes != 0)
        throw std::invalid_argument("classes: virtual channels or injectors are not shared evenly");
}

std::unique_ptr<AnyNetwork> make_network(const Description& description) {
    description.check();
    const Plan& plan = description.plan;
    if (plan.switches > 0) return make_table(description);
    return plan.dims > 0 ? make_grid(description) : make_tree(description);
}

void transfer_jobs(Archive& archive, Hosts& hosts) {
    Jobs& jobs = hosts.jobs;
    archive(jobs.started, jobs.key_ranges, jobs.keys, jobs.ending, jobs.free_places);
    std::vector<std::shared_ptr<Code>> codes;  // each is kept once
    std::vector<std::int64_t> code_of(jobs.at.size());
    if (!archive.reads()) {
        for (std::size_t n = 0; n < jobs.at.size(); ++n) {
            if (!jobs.at[n]) continue;
            auto code = std::const_pointer_cast<Code>(jobs.at[n]->code);
            const auto found = std::find(codes.begin(), codes.end(), code);
            code_of[n] = 1 + (found - codes.begin());
            if (found == codes.end()) codes.push_back(std::move(code));
        }
    }
    std::int64_t count = static_cast<std::int64_t>(codes.size());
    archive(count, code_of);
    for (std::int64_t n = 0; n < count; ++n) {
        if (archive.reads()) codes.push_back(std::make_shared<Code>());
        archive(*codes[static_cast<std::size_t>(n)]);
        codes[static_cast<std::size_t>(n)]->check();
    }
    if (archive.reads()) {
        jobs.at.clear();
        jobs.at.resize(code_of.size());
        jobs.place.clear();
    }
    for (std::size_t n = 0; n < code_of.size(); ++n) {
        if (code_of[n] == 0) continue;
        if (archive.reads()) {
            jobs.at[n] = std::make_unique<Job>();
            if (code_of[n] < 1 || code_of[n] > count) throw std::invalid_argument("state of a network: a job has no program");
            jobs.at[n]->code = codes[static_cast<std::size_t>(code_of[n] - 1)];
        }
        archive(*jobs.at[n]);
        if (archive.reads() && !jobs.at[n]->forgotten) jobs.place[jobs.at[n]->number] = static_cast<std::int32_t>(n);
    }
    archive(hosts.nodes);
    if (!archive.reads()) return;
    for (Node& node : hosts.nodes) {
        node.program = nullptr;
        if (node.job < 0) continue;
        if (static_cast<std::size_t>(node.job) >= jobs.at.size() || !jobs.at[node.job])
            throw std::invalid_argument("state of a network: a node has no job");
        node.program = jobs.at[node.job]->code->operations.data();
    }
}

}  // namespace netplace
