// Runs of a program without a network: where each task comes to stand, and how early each can end if a node is held up by
// nothing but its own injection.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace netplace::apps {

// What of the network every mapping has to live with.
struct Injection {
    std::int64_t packet_phits;  // cycles that a packet takes to leave
    std::int64_t rate;          // phits that a node can send in a cycle
    std::int64_t room;          // packets that a node holds besides those that are leaving
    std::int64_t hops;          // least number between two nodes
};

// Returns the least cycle in which each task can end; -1 for tasks that never do. Operations are those of tasks in
// order, `first[task]` the first of each; `need` is the send that an operation waits for (-1: none), `packets` those
// of a send to another task (else 0), `created` those of them that the task creates itself before it goes on (all, but one
// of a message by rendezvous that it does not wait for), `cycles` those of a computation (else 0).
std::vector<std::int64_t> earliest_ends(std::span<const std::int64_t> first, std::span<const std::int64_t> need,
                                        std::span<const std::int64_t> packets, std::span<const std::int64_t> created,
                                        std::span<const std::int64_t> cycles, const Injection& injection);

// Where each task comes to stand; first[task + 1] if it ends. Task t has operations first[t] to before first[t + 1];
// operation i waits until task_of[need[i]] has come to need[i], unless that is -1.
std::vector<std::int64_t> stands(std::span<const std::int64_t> first, std::span<const std::int32_t> task_of,
                                 std::span<const std::int64_t> need);

}  // namespace netplace::apps
