#include "apps/replay.hpp"

namespace netplace::apps {

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
