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
      open_(words_), tail_(words_), flags_(blocks_.back()), chosen_(blocks_.back()) {
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
    if (begin >= end) return;
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

// Tells whether the rule finds processors in a set, and keeps those.
bool Timeline::chooses(std::int64_t size, const Words& open) {
    if (size_of(open.data(), words_) < size) return false;
    for (std::size_t processor = 0; processor < flags_.size(); ++processor)
        flags_[processor] = open[processor / 64] >> processor % 64 & 1;
    std::ranges::fill(chosen_, 0);
    if (!choose(rule_, flags_, blocks_, size, chosen_)) return false;
    held_.clear();
    for (std::size_t processor = 0; processor < chosen_.size(); ++processor)
        if (chosen_[processor]) held_.push_back(static_cast<std::int64_t>(processor));
    return true;
}

// The window [start, start + wall) slides over the rows; what is free in all of it is kept: what is free in rows `at`
// to `middle` - 1 in work_[at], what is free from there to `stop` - 1 in tail_. So each row is looked at twice in all.
// Wherever too little is free in a part of a window, all starts whose windows hold that part are passed over.
double Timeline::earliest(std::int64_t size, double wall, double now) {
    forget(now);
    work_.resize(free_.size());
    const auto last = times_.size();
    auto at = first_, stop = at, middle = at;
    while (at < last) {
        const double start = std::max(now, times_[at]), end = start + wall;
        if (at >= middle) {
            stop = std::max(stop, at + 1);
            while (stop < last && times_[stop] < end) ++stop;
            std::ranges::fill(tail_, ~std::uint64_t{0});
            auto low = at;
            for (auto back = stop; back > at; --back) {
                for (std::size_t word = 0; word < words_; ++word)
                    row(work_, back - 1)[word] = tail_[word] &= row(free_, back - 1)[word];
                if (size_of(tail_.data(), words_) < size) {
                    low = back;
                    break;
                }
            }
            std::ranges::fill(tail_, ~std::uint64_t{0});
            middle = stop;
            if (low > at) {
                at = low;
                continue;
            }
        } else {
            const auto grown = stop;
            for (; stop < last && times_[stop] < end; ++stop)
                for (std::size_t word = 0; word < words_; ++word) tail_[word] &= row(free_, stop)[word];
            if (stop > grown && size_of(tail_.data(), words_) < size) {
                at = middle;
                continue;
            }
        }
        for (std::size_t word = 0; word < words_; ++word) open_[word] = row(work_, at)[word] & tail_[word];
        if (chooses(size, open_)) return start;
        ++at;
    }
    return std::numeric_limits<double>::infinity();
}

bool Timeline::at_once(std::int64_t size, double wall, double now) {
    forget(now);
    std::copy_n(row(free_, first_), words_, open_.data());
    for (auto at = first_ + 1; at < times_.size() && times_[at] < now + wall; ++at)
        for (std::size_t word = 0; word < words_; ++word) open_[word] &= row(free_, at)[word];
    return chooses(size, open_);
}

}  // namespace netplace::experiments
