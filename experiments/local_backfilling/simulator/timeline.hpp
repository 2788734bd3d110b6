// Which processors of a machine are free from when to when, as far as reservations go.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "experiments/local_backfilling/simulator/rules.hpp"

namespace netplace::experiments {

using Words = std::vector<std::uint64_t>;  // a set: processor p is bit p % 64 of word p / 64
using Processors = std::span<const std::int64_t>;

class Timeline {
public:
    // All processors are free from `now` on, for ever; `blocks` as in choose, the last one the whole machine.
    Timeline(std::vector<std::int64_t> blocks, PlaceRule rule, double now);

    std::int64_t processors() const { return blocks_.back(); }
    double begins() const { return times_[first_]; }
    // What the last search that found processors chose.
    const std::vector<std::int64_t>& held() const { return held_; }

    // Holds processors from `begin` to `end`, or frees them.
    void change(double begin, double end, Processors held, bool release);
    // Returns the first start from `now` on at which the rule finds processors for `wall`; infinity: never.
    double earliest(std::int64_t size, double wall, double now);
    // Tells whether the rule finds processors that are free from `now` on for `wall`.
    bool at_once(std::int64_t size, double wall, double now);

private:
    std::uint64_t* row(Words& rows, std::size_t at) { return rows.data() + at * words_; }
    std::size_t before(double time) const;
    std::size_t row_from(double time);
    void drop_if_same(std::size_t at);
    void forget(double now);
    bool enough(std::size_t at, double end, std::int64_t size);
    bool chooses(std::int64_t size);

    std::vector<std::int64_t> blocks_;
    PlaceRule rule_;
    std::size_t words_;
    // Row r of `free_` holds from times_[r] until times_[r + 1], the last one for ever; rows before `first_` are over.
    std::vector<double> times_;
    Words free_, open_;
    std::vector<std::int64_t> held_;
    std::size_t first_ = 0;
    Flags flags_, chosen_;
};

}  // namespace netplace::experiments
