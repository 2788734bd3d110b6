#include "experiments/local_backfilling/simulator/timeline.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "netplace/wide.hpp"

namespace netplace::experiments {
namespace {

NETPLACE_WIDE std::int64_t size_of(const std::uint64_t* set, std::size_t words) {
    std::int64_t size = 0;
    for (std::size_t word = 0; word < words; ++word) size += std::popcount(set[word]);
    return size;
}

}  // namespace

Timeline::Timeline(std::vector<std::int64_t> blocks, PlaceRule rule, double now)
    : blocks_(std::move(blocks)), rule_(rule), words_((blocks_.back() + 63) / 64), times_{now}, free_(words_),
      open_(words_), flags_(blocks_.back()), chosen_(blocks_.back()) {
    for (std::int64_t processor = 0; processor < blocks_.back(); ++processor)
        free_[processor / 64] |= std::uint64_t{1} << processor % 64;
}

// Returns the first row that begins at `time` or later.
std::size_t Timeline::before(double time) const {
    return std::lower_bound(times_.begin() + first_, times_.end(), time) - times_.begin();
}

// Returns the row that begins at `time`, made if need be; the first row begins at or before it.
std::size_t Timeline::row_from(double time) {
    const auto at = before(time);
    if (at < times_.size() && times_[at] == time) return at;
    times_.insert(times_.begin() + at, time);
    free_.insert(free_.begin() + at * words_, words_, 0);
    std::copy_n(row(free_, at - 1), words_, row(free_, at));
    return at;
}

// Removes a row that is like the one before.
void Timeline::drop_if_same(std::size_t at) {
    if (at <= first_ || at >= times_.size()) return;
    if (!std::equal(row(free_, at), row(free_, at) + words_, row(free_, at - 1))) return;
    times_.erase(times_.begin() + at);
    free_.erase(free_.begin() + at * words_, free_.begin() + (at + 1) * words_);
}

// Leaves out the rows that end at or before `now`.
void Timeline::forget(double now) {
    while (first_ + 1 < times_.size() && times_[first_ + 1] <= now) ++first_;
    if (first_ <= 64 || 2 * first_ <= times_.size()) return;
    times_.erase(times_.begin(), times_.begin() + first_);
    free_.erase(free_.begin(), free_.begin() + first_ * words_);
    first_ = 0;
}

void Timeline::change(double begin, double end, Processors held, bool release) {
    if (!(begin < end)) return;  // also if one of them is no number
    std::ranges::fill(open_, 0);
    for (const auto processor : held) open_[processor / 64] |= std::uint64_t{1} << processor % 64;
    const auto first = row_from(begin), last = row_from(end);
    for (auto at = first; at < last; ++at) {
        auto* free = row(free_, at);
        for (std::size_t word = 0; word < words_; ++word)
            free[word] = release ? free[word] | open_[word] : free[word] & ~open_[word];
    }
    drop_if_same(last);
    drop_if_same(first);
}

// Tells whether the rule finds processors in open_, and keeps those.
bool Timeline::chooses(std::int64_t size) {
    for (std::size_t processor = 0; processor < flags_.size(); ++processor)
        flags_[processor] = open_[processor / 64] >> processor % 64 & 1;
    std::ranges::fill(chosen_, 0);
    if (!choose(rule_, flags_, blocks_, size, chosen_)) return false;
    held_.clear();
    for (std::size_t processor = 0; processor < chosen_.size(); ++processor)
        if (chosen_[processor]) held_.push_back(static_cast<std::int64_t>(processor));
    return true;
}

// Keeps in open_ what is free from row `at` until `end`, and tells whether that is enough.
bool Timeline::enough(std::size_t at, double end, std::int64_t size) {
    std::copy_n(row(free_, at), words_, open_.data());
    while (++at < times_.size() && times_[at] < end && size_of(open_.data(), words_) >= size)
        for (std::size_t word = 0; word < words_; ++word) open_[word] &= row(free_, at)[word];
    return size_of(open_.data(), words_) >= size;
}

double Timeline::earliest(std::int64_t size, double wall, double now) {
    forget(now);
    for (auto at = first_; at < times_.size(); ++at) {
        const double start = std::max(now, times_[at]);
        if (enough(at, start + wall, size) && chooses(size)) return start;
    }
    return std::numeric_limits<double>::infinity();
}

bool Timeline::at_once(std::int64_t size, double wall, double now) {
    forget(now);
    return enough(first_, now + wall, size) && chooses(size);
}

}  // namespace netplace::experiments
