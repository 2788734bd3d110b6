// Arrays of a network: zeroed, aligned to cache lines, on huge pages if large.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace netplace {

// An array of plain records with a length that is set once.
template <class T>
class Array {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    Array() = default;
    explicit Array(std::size_t size, const T& value = T{}) { assign(size, value); }

    // With so many bytes behind the records, all 0, for what belongs to them.
    void assign(std::size_t size, const T& value = T{}, std::size_t behind = 0) {
        constexpr std::size_t huge = std::size_t{1} << 21;
        const std::size_t bytes = (size * sizeof(T) + behind + 63) / 64 * 64;
        const std::size_t line = bytes >= 2 * huge ? huge : 64;
        data_.reset(bytes == 0 ? nullptr : static_cast<T*>(std::aligned_alloc(line, (bytes + line - 1) / line * line)));
        if (bytes != 0 && !data_) throw std::bad_alloc();
        size_ = size;
        bytes_ = size * sizeof(T) + behind;
        if (line == huge) madvise(data_.get(), bytes, MADV_HUGEPAGE);
        for (std::size_t n = 0; n < size; ++n) new (&data_[n]) T(value);
        if (behind > 0) std::memset(static_cast<void*>(data_.get() + size), 0, behind);
    }
    std::size_t bytes() const { return bytes_; }
    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t n) { return data_[n]; }
    const T& operator[](std::size_t n) const { return data_[n]; }
    T* begin() { return data_.get(); }
    T* end() { return data_.get() + size_; }
    const T* begin() const { return data_.get(); }
    const T* end() const { return data_.get() + size_; }

private:
    struct Free {
        void operator()(T* memory) const { std::free(memory); }
    };
    std::unique_ptr<T[], Free> data_;
    std::size_t size_ = 0, bytes_ = 0;
};

// Pointer to records that lie close behind the router that owns them, in half the size of an address.
template <class T>
class Near {
public:
    void point_to(T* there) {
        distance_ = static_cast<std::int32_t>((reinterpret_cast<char*>(there) - reinterpret_cast<char*>(this)) / 4);
    }
    explicit operator bool() const { return distance_ != 0; }
    T& operator[](std::size_t n) const {
        const char* here = reinterpret_cast<const char*>(this) + std::ptrdiff_t{distance_} * 4;
        return reinterpret_cast<T*>(const_cast<char*>(here))[n];
    }

private:
    std::int32_t distance_ = 0;  // in words of four bytes; 0: there are none
};

// Prefetch memory that will soon be read or written.
[[gnu::always_inline]] inline void fetch(const void* address) { __builtin_prefetch(address); }

// Allocator of ranges of neighboring entries, the lowest first.
class Ranges {
public:
    // Return the first of `count` free entries.
    std::int32_t take(std::int64_t count);
    void give(std::int32_t begin, std::int64_t count);
    std::int64_t end() const { return end_; }  // no entry from here on is in use

private:
    std::vector<std::pair<std::int64_t, std::int64_t>> free_;  // sorted; none touches another
    std::int64_t end_ = 0;
};

inline std::int32_t Ranges::take(std::int64_t count) {
    for (auto range = free_.begin(); range != free_.end(); ++range) {
        if (range->second - range->first < count) continue;
        const auto begin = range->first;
        range->first += count;
        if (range->first == range->second) free_.erase(range);
        return static_cast<std::int32_t>(begin);
    }
    const auto begin = end_;
    end_ += count;
    return static_cast<std::int32_t>(begin);
}

inline void Ranges::give(std::int32_t begin, std::int64_t count) {
    if (count == 0) return;
    std::pair<std::int64_t, std::int64_t> range{begin, begin + count};
    auto after = free_.begin();
    while (after != free_.end() && after->first < range.first) ++after;
    if (after != free_.end() && after->first == range.second) {
        range.second = after->second;
        after = free_.erase(after);
    }
    if (after != free_.begin() && std::prev(after)->second == range.first) {
        range.first = std::prev(after)->first;
        after = free_.erase(std::prev(after));
    }
    if (range.second == end_) {
        end_ = range.first;
    } else {
        free_.insert(after, range);
    }
}

}  // namespace netplace
