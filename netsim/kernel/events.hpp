// What happens when: events of a few constant delays, timers, and routers to be looked at.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <new>
#include <utility>
#include <vector>

namespace netplace {

using Cycle = std::int64_t;
inline constexpr Cycle never = Cycle{1} << 62;

// A growing list of names; appending costs two stores if there is room.
class List {
public:
    List() = default;
    List(List&& other) noexcept { swap(other); }
    List& operator=(List&& other) noexcept {
        swap(other);
        return *this;
    }
    ~List() { std::free(data_); }

    void push_back(std::uint32_t word) {
        if (size_ == room_) [[unlikely]] grow(size_ + 1);
        data_[size_++] = word;
    }
    void clear() { size_ = 0; }
    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    std::uint32_t& operator[](std::size_t n) { return data_[n]; }
    std::uint32_t operator[](std::size_t n) const { return data_[n]; }
    std::uint32_t* begin() { return data_; }
    std::uint32_t* end() { return data_ + size_; }
    const std::uint32_t* begin() const { return data_; }
    const std::uint32_t* end() const { return data_ + size_; }
    template <class Condition>
    std::size_t erase_if(Condition condition) {
        const std::size_t before = size_;
        size_ = static_cast<std::size_t>(std::remove_if(begin(), end(), condition) - data_);
        return before - size_;
    }

private:
    [[gnu::noinline, gnu::cold]] void grow(std::size_t least) {
        const std::size_t room = std::max<std::size_t>({8, least, room_ + room_ / 2});
        void* moved = std::realloc(data_, room * sizeof(std::uint32_t));
        if (!moved) throw std::bad_alloc();
        data_ = static_cast<std::uint32_t*>(moved);
        room_ = room;
    }
    void swap(List& other) {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(room_, other.room_);
    }

    std::uint32_t* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t room_ = 0;
};

// Events by the cycle in which they fall due: one list for each future cycle, up to the longest delay.
class Calendar {
public:
    explicit Calendar(Cycle longest = 1)
        : lists_(std::bit_ceil(static_cast<std::uint64_t>(longest) + 1)), mask_(lists_.size() - 1) {}

    void add(Cycle cycle, std::uint32_t event) {
        lists_[place(cycle)].push_back(event);
        ++pending_;
    }
    // The events of a cycle; the caller processes them and then calls `done`.
    List& due(Cycle cycle) { return lists_[place(cycle)]; }
    void done(Cycle cycle) {
        auto& list = lists_[place(cycle)];
        pending_ -= list.size();
        list.clear();
    }
    bool none_in(Cycle cycle) const { return lists_[place(cycle)].empty(); }
    // The first cycle from `cycle` on in which an event falls due, or `never`.
    Cycle next(Cycle cycle) const {
        if (pending_ == 0) return never;
        while (lists_[place(cycle)].empty()) ++cycle;
        return cycle;
    }
    Cycle length() const { return static_cast<Cycle>(lists_.size()); }
    std::size_t pending() const { return pending_; }

    // Hold events for `longest` cycles; those that are there are due from `now` on.
    void lengthen(Cycle longest, Cycle now) {
        if (longest < length()) return;
        Calendar longer(longest);
        for (Cycle cycle = now; cycle < now + length(); ++cycle)
            for (std::uint32_t event : due(cycle)) longer.add(cycle, event);
        *this = std::move(longer);
    }
    template <class Condition>
    void erase_if(Condition condition) {
        for (List& list : lists_) pending_ -= list.erase_if(condition);
    }
    // Visit (cycle, event) of all that is to come from `now` on.
    template <class Visit>
    void for_each(Cycle now, Visit visit) const {
        for (Cycle cycle = now; cycle < now + length(); ++cycle)
            for (std::uint32_t event : lists_[place(cycle)]) visit(cycle, event);
    }

private:
    std::size_t place(Cycle cycle) const { return static_cast<std::size_t>(cycle) & mask_; }

    std::vector<List> lists_;
    std::size_t mask_;
    std::size_t pending_ = 0;
};

// Timers of nodes, 2 * node + kind: kind 0 of its program, 1 of its open-loop traffic, at most one of each. Those of
// the next cycles are chained by cycle, which takes one word a timer; those further away stand in a heap.
class Timers {
public:
    explicit Timers(std::size_t nodes = 0) : chained_(2 * nodes, none) {}

    void set(Cycle now, Cycle cycle, std::uint32_t timer) {
        if (cycle - now < length) {
            std::uint32_t& first = first_[place(cycle)];
            chained_[timer] = first;
            first = timer;
            ++near_;
        } else {
            far_.emplace_back(cycle, timer);
            std::push_heap(far_.begin(), far_.end(), std::greater<>());
        }
    }
    bool none_in(Cycle cycle) const {
        return first_[place(cycle)] == none && (far_.empty() || far_.front().first > cycle);
    }
    // The first cycle from `cycle` on in which a timer goes off, or `never`.
    Cycle next(Cycle cycle) const {
        const Cycle far = far_.empty() ? never : far_.front().first;
        if (near_ == 0) return far;
        while (first_[place(cycle)] == none) ++cycle;
        return std::min(cycle, far);
    }
    // Visit the nodes whose timers go off in `cycle`, and forget these.
    template <class Visit>
    void take_due(Cycle cycle, Visit visit) {
        std::uint32_t& first = first_[place(cycle)];
        for (std::uint32_t timer = first; timer != none; timer = chained_[timer]) {
            --near_;
            visit(timer >> 1);
        }
        first = none;
        while (!far_.empty() && far_.front().first == cycle) {
            std::pop_heap(far_.begin(), far_.end(), std::greater<>());
            visit(far_.back().second >> 1);
            far_.pop_back();
        }
    }
    template <class Condition>
    void drop_if(Condition condition) {
        for (std::uint32_t& first : first_)
            for (std::uint32_t* timer = &first; *timer != none;) {
                const bool drops = condition(*timer);
                near_ -= drops;
                if (drops) {
                    *timer = chained_[*timer];
                } else {
                    timer = &chained_[*timer];
                }
            }
        std::erase_if(far_, [&](const auto& entry) { return condition(entry.second); });
        std::make_heap(far_.begin(), far_.end(), std::greater<>());
    }

private:
    static constexpr Cycle length = 1024;
    static constexpr std::uint32_t none = ~0u;
    static std::size_t place(Cycle cycle) { return static_cast<std::size_t>(cycle) & (length - 1); }

    std::vector<std::uint32_t> first_ = std::vector<std::uint32_t>(length, none);
    std::vector<std::uint32_t> chained_;
    std::size_t near_ = 0;
    std::vector<std::pair<Cycle, std::uint32_t>> far_;
};

// Routers to visit in a cycle, as bits, so that each is visited once and in order; and a bit for each word of these.
class Agenda {
public:
    // Address of the bits, for callers that add many routers.
    struct Bits {
        std::uint64_t* words;
        std::uint64_t* tops;

        // The condition is unpredictable: an unconditional write is cheaper than a branch.
        void add_if(std::uint32_t router, bool so) const {
            const std::uint32_t word = router >> 6;
            words[word] |= std::uint64_t{so} << (router & 63);
            tops[word >> 6] |= std::uint64_t{so} << (word & 63);
        }
    };

    explicit Agenda(std::size_t routers = 0)
        : words_((routers + 63) / 64), tops_((words_.size() + 63) / 64) {}

    bool empty() const {
        std::uint64_t some = 0;
        for (std::uint64_t top : tops_) some |= top;
        return some == 0;
    }
    Bits bits() { return {words_.data(), tops_.data()}; }
    // Move all routers into `list`, which has room for all; return how many.
    std::size_t take(std::uint32_t* list) {
        std::size_t count = 0;
        for (std::size_t top = 0; top < tops_.size(); ++top) {
            std::uint64_t words = tops_[top];
            tops_[top] = 0;
            for (; words; words &= words - 1) {
                const std::size_t word = top << 6 | std::countr_zero(words);
                std::uint64_t routers = words_[word];
                words_[word] = 0;
                for (; routers; routers &= routers - 1)
                    list[count++] = static_cast<std::uint32_t>(word << 6 | std::countr_zero(routers));
            }
        }
        return count;
    }

private:
    std::vector<std::uint64_t> words_;
    std::vector<std::uint64_t> tops_;  // words that are not 0
};

}  // namespace netplace
