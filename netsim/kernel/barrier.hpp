// A barrier for threads, at which each thread also publishes a few words that all others read.
//
// A thread writes one cache line and reads those of the others. It polls for some microseconds, because a phase takes
// about equally long everywhere. Then it sleeps until it is woken, which leaves its core to others.
#pragma once

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "borders.hpp"

namespace netplace {

// A thread has failed (out of memory), so no other thread can continue.
struct Abandoned {};

class Board {
public:
    Board(int threads, bool dawdles)
        : lines_(static_cast<std::size_t>(threads)), dawdles_(dawdles),
          looks_(static_cast<unsigned>(threads) <= std::thread::hardware_concurrency() ? most_looks : 0) {}

    // Publish what all threads must know, and wait for the others.
    void meet(int thread, std::uint32_t meeting, Said said) {
        if (dawdles_) dawdle(thread, meeting, 0);
        Line& mine = lines_[static_cast<std::size_t>(thread)];
        mine.said[meeting & 1] = said;
        mine.meetings.fetch_add(1);
        if (mine.sleepers.load() > 0) wake(mine);
        for (Line& line : lines_)
            if (!has_come(line.meetings.load(std::memory_order_acquire), meeting)) wait_for(line, meeting, mine.looks);
        if (abandoned_.load(std::memory_order_relaxed)) throw Abandoned();
        if (dawdles_) dawdle(thread, meeting, 1);
    }

    // What all threads published at the last meeting.
    Said of_all(std::uint32_t meeting) const {
        Said all;
        for (const Line& line : lines_) all.join(line.said[meeting & 1]);
        return all;
    }

    // Release all waiting threads, because one thread has failed.
    void abandon() {
        abandoned_.store(true);
        for (Line& line : lines_) {
            line.meetings.fetch_add(1u << 30);
            wake(line);
        }
    }

    // In tests: lose a pseudorandom amount of time, so that threads are up to a whole phase apart.
    void dawdle(int thread, std::uint32_t meeting, std::uint32_t place) const {
        if (!dawdles_) return;
        std::uint64_t dice = (std::uint64_t{meeting} * 8 + place) * 6364136223846793005u +
                             (static_cast<std::uint64_t>(thread) + 1) * 1442695040888963407u;
        dice = ((dice ^ dice >> 29) * 3202034522624059733u) >> 32 & 0xFFFFFF;
        const std::uint64_t kind = dice & 63, amount = dice >> 6;
        if (kind < 2) {
            std::this_thread::sleep_for(std::chrono::microseconds(amount & 63));
        } else if (kind < 12) {
            std::this_thread::yield();
        } else if (kind < 32) {
            for (std::uint64_t n = 0; n < (amount & 1023); ++n) relax();
        }
    }

private:
    static constexpr int most_looks = 2000;  // 20 to 50 microseconds
    static constexpr int least_looks = 16;

    // Two cache lines, which processors fetch together; only one thread writes to them.
    struct alignas(128) Line {
        std::atomic<std::uint32_t> meetings{0};  // meetings reached
        std::atomic<std::uint32_t> sleepers{0};  // number of waiting threads
        int looks = most_looks;                  // before sleeping
        Said said[2];                            // at meetings of even and odd numbers
    };

    static bool has_come(std::uint32_t meetings, std::uint32_t meeting) {
        return static_cast<std::int32_t>(meetings - meeting) >= 0;
    }
    // Hint to the processor that this is a spin loop.
    static void relax() {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("yield");
#endif
    }
    // If polling failed because the other thread had no core, poll half as long the next time.
    void wait_for(Line& line, std::uint32_t meeting, int& looks) const {
        for (int look = 0; look < looks; ++look) {
            if (has_come(line.meetings.load(std::memory_order_acquire), meeting)) {
                looks = std::min(2 * looks, looks_);
                return;
            }
            relax();
        }
        const auto began = std::chrono::steady_clock::now();
        line.sleepers.fetch_add(1);
        for (std::uint32_t meetings = line.meetings.load(); !has_come(meetings, meeting); meetings = line.meetings.load())
            sleep(line, meetings);
        line.sleepers.fetch_sub(1);
        const bool soon = std::chrono::steady_clock::now() - began < std::chrono::microseconds(200);
        looks = std::min(std::max(soon ? 2 * looks : looks / 2, least_looks), looks_);
    }
    // Sleep while a thread is still at this meeting. The library's own wait yields the core several times first, which
    // costs milliseconds on a busy machine.
    static void sleep(Line& line, std::uint32_t meetings) {
#if defined(__linux__)
        syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&line.meetings), FUTEX_WAIT_PRIVATE, meetings, nullptr, nullptr, 0);
#else
        line.meetings.wait(meetings);
#endif
    }
    static void wake(Line& line) {
#if defined(__linux__)
        syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&line.meetings), FUTEX_WAKE_PRIVATE, 64, nullptr, nullptr, 0);
#else
        line.meetings.notify_all();
#endif
    }

    std::vector<Line> lines_;
    std::atomic<bool> abandoned_{false};
    const bool dawdles_;
    const int looks_;
};

}  // namespace netplace
