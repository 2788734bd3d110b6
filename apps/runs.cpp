#include "apps/runs.hpp"

#include <algorithm>
#include <numeric>

namespace netplace::apps {

namespace {

struct Task {
    std::int64_t next;     // operation
    std::int64_t now = 0;  // cycle in which it can begin
    std::int64_t sent = 0;  // cycle, times the rate, in which the last packet has left the node
};

}  // namespace

std::vector<std::int64_t> earliest_ends(std::span<const std::int64_t> first, std::span<const std::int64_t> need,
                                        std::span<const std::int64_t> packets, std::span<const std::int64_t> created,
                                        std::span<const std::int64_t> cycles, const Injection& injection) {
    const std::size_t tasks = first.size() - 1;
    std::vector<Task> task(tasks);
    for (std::size_t number = 0; number < tasks; ++number) task[number].next = first[number];
    std::vector<std::int64_t> arrival(need.size(), -1);   // of the last packet of a send
    std::vector<std::int64_t> waiter(need.size(), -1);    // the task that waits for a send: one at most
    std::vector<std::int64_t> ready(tasks);
    std::iota(ready.begin(), ready.end(), 0);
    while (!ready.empty()) {
        const auto number = ready.back();
        ready.pop_back();
        auto& own = task[number];
        for (; own.next < first[number + 1]; ++own.next) {
            const auto here = own.next;
            if (const auto wanted = need[here]; wanted >= 0) {
                if (arrival[wanted] < 0) {
                    waiter[wanted] = number;
                    break;
                }
                own.now = std::max(own.now, arrival[wanted]);
            }
            own.now += cycles[here];
            if (packets[here] > 0) {
                const auto begin = std::max(own.sent, own.now * injection.rate);
                own.sent = begin + created[here] * injection.packet_phits;
                arrival[here] = (begin + packets[here] * injection.packet_phits) / injection.rate + injection.hops - 1;
                // One packet is created in a cycle, and only while the node has room for it.
                const auto room = (injection.room + 1) * injection.packet_phits;
                own.now += std::max<std::int64_t>(0, created[here] - 1);
                own.now = std::max(own.now, (own.sent - room) / injection.rate);
                if (waiter[here] >= 0) ready.push_back(waiter[here]);
            }
        }
    }
    std::vector<std::int64_t> ends(tasks);
    for (std::size_t number = 0; number < tasks; ++number) {
        ends[number] = task[number].next < first[number + 1] ? -1 : task[number].now;
    }
    return ends;
}

std::vector<std::int64_t> stands(std::span<const std::int64_t> first, std::span<const std::int32_t> task_of,
                                 std::span<const std::int64_t> need) {
    const auto tasks = static_cast<std::int64_t>(first.size()) - 1;
    std::vector<std::int64_t> place(first.begin(), first.end() - 1), ready(tasks);
    std::vector<std::int32_t> waiter(need.size(), -1);
    for (std::int64_t task = 0; task < tasks; ++task) ready[task] = task;
    while (!ready.empty()) {
        const auto task = ready.back();
        ready.pop_back();
        for (auto here = place[task]; here < first[task + 1]; place[task] = ++here) {
            if (waiter[here] >= 0) {
                // At most one task waits for an operation, so a task is never listed as ready twice.
                ready.push_back(waiter[here]);
                waiter[here] = -1;
            }
            const auto wanted = need[here];
            if (wanted >= 0 && place[task_of[wanted]] < wanted) {
                waiter[wanted] = static_cast<std::int32_t>(task);
                break;
            }
        }
    }
    return place;
}

}  // namespace netplace::apps
