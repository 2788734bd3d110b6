// The loop that runs a program without time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace netplace::apps {

// Where each task comes to stand; first[task + 1] if it ends. Task t has operations first[t] to before first[t + 1];
// operation i waits until task_of[need[i]] has come to need[i], unless that is -1.
std::vector<std::int64_t> stands(std::span<const std::int64_t> first, std::span<const std::int32_t> task_of,
                                 std::span<const std::int64_t> need);

}  // namespace netplace::apps
