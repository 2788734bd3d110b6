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
    return explain == 0 && phits == 16 && queue == 4 && buffer == 4 && injectors == 1 && vcs == 2 && hop == 1 && single == 0 &&
           arbiter == static_cast<int>(Arbiter::round_robin) && bubble == 2;
}

bool Plan::is_plain() const {
    using P = PlainPlan;
    return phits == P::phits && queue == P::queue && buffer == P::buffer && injectors == P::injectors && single == P::single && explain == 0 &&
           arbiter == P::arbiter && fabric == P::fabric && crossbar == P::crossbar && classes == P::classes &&
           ordered == P::ordered && window == P::window && ack == P::ack && rate == P::rate && marks == P::marks;
}

bool Plan::has_routing_of(const Plan& other) const {
    Plan same = other;
    same.most = most, same.base = base, same.anew = anew, same.escapes = escapes, same.choice = choice;
    same.threshold = threshold, same.spread = spread, same.via_row = via_row, same.via_count = via_count;
    return *this == same;
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
    in("bubble", plan.bubble, 0, many), in("domains", plan.domains, 1, std::min<std::int64_t>(plan.nodes, 64));
    in("down", plan.down, 0, 1 << 12), in("up", plan.up, 0, 1 << 12), in("first_switch", plan.first_switch, 0, plan.routers);
    if (plan.switches == 0) in("phits in a FIFO", plan.phits * (plan.queue + plan.buffer), 1, (std::int64_t{1} << 31) - 1);
    for (const auto& [name, flag] : {std::pair("single", plan.single), std::pair("record", plan.record), std::pair("explain", plan.explain),
                                     std::pair("anew", plan.anew), std::pair("fabric", plan.fabric), std::pair("ordered", plan.ordered)})
        in(name, flag, 0, 1);
    in("switches", plan.switches, 0, (plan.choice == 0 ? many : 1 << 15) - 1), in("most", plan.most, 0, plan.ports);
    in("escapes", plan.escapes, 0, 1), in("choice", plan.choice, 0, 4), in("spread", plan.spread, 0, 2);
    in("base", plan.base, 0, 63), in("injected", plan.injected, 0, 1 << 30), in("classes", plan.classes, 1, plan.vcs);
    in("via_row", plan.via_row, 0, many), in("via_count", plan.via_count, 0, many), in("ack", plan.ack, 0, 1 << 30);
    const std::int64_t long_time = std::int64_t{1} << 40;
    in("threshold", plan.threshold, -long_time, long_time), in("crossbar", plan.crossbar, 0, many);
    in("window", plan.window, 0, (1 << 15) - 1), in("rate", plan.rate, 0, many), in("marks", plan.marks, 0, plan.rate > 0 ? many : 0);
    in("every", plan.every, 0, long_time), in("gain", plan.gain, 1, long_time), in("increase", plan.increase, 0, many);
    if (plan.marks > 0) in("timer", plan.timer, 1, long_time);
    if (plan.classes > 1) in("fabric, as there are classes", plan.fabric, 1, 1);
    if (plan.vcs % plan.classes != 0 || plan.injectors % plan.classes != 0)
        throw std::invalid_argument("classes: virtual channels or injectors are not shared evenly");
}

std::unique_ptr<AnyNetwork> make_network(const Description& description) {
    description.check();
    const Plan& plan = description.plan;
    if (plan.switches > 0) return make_table(description);
    return plan.dims > 0 ? make_grid(description) : make_tree(description);
}

void Code::check() {
    const auto wrong = [](const char* what) { throw std::invalid_argument(std::string("program: ") + what); };
    if (first.empty() || first.front() != 0 || first.back() != static_cast<std::int64_t>(operations.size()))
        wrong("tasks do not share the operations");
    if (source.size() != packets.size() || target.size() != packets.size() || first_message.size() != packets.size())
        wrong("keys have not as many sources as packets");
    for (std::int64_t n = 0; n < keys(); ++n) {
        if (packets[n] < 1) wrong("a message has no packet");
        if (source[n] < 0 || source[n] >= tasks() || target[n] < 0 || target[n] >= tasks())
            wrong("a key names no task");
        if (first_message[n] < 0 || first_message[n] > messages) wrong("a key has no such message");
    }
    if (!std::is_sorted(first.begin(), first.end())) wrong("tasks are not in order");
    std::vector<std::int64_t> sends(packets.size());
    for (std::int64_t task = 0; task < tasks(); ++task) {
        for (std::int64_t n = first[task]; n < first[task + 1]; ++n) {
            const std::int64_t value = operations[n] >> kind_bits;
            const int kind = static_cast<int>(operations[n] & ((1 << kind_bits) - 1));
            if (kind == op_compute || kind == op_compute_last) {
                if (value < 0) wrong("a computation takes less than no time");
            } else if (kind == op_loop) {
                if (value < 1 || value > n - first[task]) wrong("a loop begins before its task");
                loops = true;
            } else if (kind > op_handed_over || (value & ((std::int64_t{1} << key_bits) - 1)) >= keys() || value < 0) {
                wrong("an operation names no key");
            } else {
                const auto key = static_cast<std::size_t>(value & ((std::int64_t{1} << key_bits) - 1));
                const bool is_senders = kind != op_recv && kind != op_post;
                if ((is_senders ? source : target)[key] != task) wrong("an operation is of another task");
                if (kind == op_send || kind == op_ask || kind == op_begin || kind == op_begin_asking) ++sends[key];
            }
        }
    }
    for (std::int64_t n = 0; n < keys() && !loops; ++n)  // of iterations in a loop messages have no numbers
        if (first_message[n] + sends[n] > messages) wrong("it sends more messages than it has");
}

}  // namespace netplace
