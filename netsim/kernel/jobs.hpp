// Jobs: programs as operations, and the state of the tasks that run them.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "memory.hpp"
#include "records.hpp"

namespace netplace {

// A program as the kernel reads it, shared by all jobs that run it. See netsim/lower.py.
struct Code {
    std::vector<std::int64_t> operations;   // of all tasks
    std::vector<std::int64_t> first;        // where each task's begin, tasks + 1
    std::vector<std::int32_t> source, target;  // by key: tasks
    std::vector<std::int64_t> packets;      // by key: of a message
    std::vector<std::int64_t> first_message;  // by key
    std::int64_t messages = 0;
    std::int64_t by_rendezvous = 0;
    bool loops = false;                     // a task's iterations stand in a loop
    bool interleaved = false;               // its non-blocking sends take turns

    std::int64_t tasks() const { return static_cast<std::int64_t>(first.size()) - 1; }
    std::int64_t keys() const { return static_cast<std::int64_t>(packets.size()); }
    // Throw std::invalid_argument unless every operation names a key and every task ends; note whether one loops.
    void check();
};

struct Job {
    std::shared_ptr<const Code> code;
    std::vector<std::int32_t> nodes;  // of its tasks
    std::vector<Cycle> task_end, task_lost;
    std::vector<Cycle> message_start, message_end;  // recording
    std::int64_t number = 0;
    Cycle start = 0, end = -1;
    std::int64_t times = 1;
    std::int32_t running = 0;    // tasks not at their end
    std::int32_t first_key = 0;
    bool keyed = true;           // its keys are still its own
    bool ending = false;         // it has ended, and some of its packets may be in flight
    bool stopped = false, forgotten = false;
};

// All jobs that are not forgotten, by the places that nodes know, and their keys.
class Jobs {
public:
    std::vector<std::unique_ptr<Job>> at;                // by place; empty ones are free
    std::unordered_map<std::int64_t, std::int32_t> place;  // by number
    std::vector<Key> keys;
    Ranges key_ranges;
    std::int64_t started = 0;
    std::vector<std::int32_t> ending;                    // places of jobs that have ended and have their keys still

    Job& of(std::int64_t number) {
        const auto found = place.find(number);
        if (found == place.end()) throw std::out_of_range("job " + std::to_string(number) + ": no such job");
        return *at[found->second];
    }
    // Return the first of `count` new keys.
    std::int32_t take_keys(std::int64_t count) {
        if (key_ranges.end() + count >= std::int64_t{1} << key_bits)
            throw std::invalid_argument(std::to_string(key_ranges.end() + count) +
                                        " kinds of message are more than the kernel's " +
                                        std::to_string(std::int64_t{1} << key_bits));
        const std::int32_t begin = key_ranges.take(count);
        if (keys.size() < static_cast<std::size_t>(key_ranges.end())) keys.resize(key_ranges.end());
        std::fill_n(keys.begin() + begin, count, Key{});
        return begin;
    }
    bool at_rest(std::int32_t begin, std::int64_t count) const {
        for (std::int64_t n = begin; n < begin + count; ++n)
            if (keys[n].flying != 0) return false;
        return true;
    }
    Job& add(std::unique_ptr<Job> job) {
        std::int32_t free = 0;
        if (free_places.empty()) {
            free = static_cast<std::int32_t>(at.size());
            at.emplace_back();
        } else {
            free = free_places.back();
            free_places.pop_back();
        }
        place[job->number] = free;
        at[free] = std::move(job);
        return *at[free];
    }
    // Forget a job that has ended; its place is used again once its keys are.
    void forget(std::int64_t number) {
        const std::int32_t its = place.at(number);
        place.erase(number);
        at[its]->forgotten = true;
        if (!at[its]->keyed) free_place(its);
    }
    // Reclaim the keys of an ended job that has no packet in flight.
    void release(std::int32_t its) {
        Job& job = *at[its];
        key_ranges.give(job.first_key, job.code->keys());
        job.keyed = job.ending = false;
        if (job.forgotten) free_place(its);
    }

    std::vector<std::int32_t> free_places;

private:
    void free_place(std::int32_t its) {
        at[its].reset();
        free_places.push_back(its);
    }
};

}  // namespace netplace
