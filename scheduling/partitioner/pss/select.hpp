// The best removal of sets of processors, extended set by set, where sets may overlap.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace netplace::scheduling {

// Lists side by side: the i-th is values[starts[i]:starts[i + 1]], in increasing order.
struct Lists {
    std::span<const std::int64_t> starts, values;

    std::int64_t count() const { return static_cast<std::int64_t>(starts.size()) - 1; }
    std::span<const std::int64_t> operator[](std::int64_t i) const {
        return values.subspan(starts[i], starts[i + 1] - starts[i]);
    }
};

struct Sets {
    Lists members;                       // free nodes of each set
    Lists sets_of;                       // sets that each free node is in
    std::span<const std::int64_t> worth; // of each set, `width` numbers of falling weight
    std::int64_t width;

    std::int64_t nodes() const { return sets_of.count(); }
    const std::int64_t* worth_of(std::int64_t set) const { return worth.data() + set * width; }
};

// Drops nodes one by one until `size` stay, each the one that saves most, of equal ones that of highest number.
std::vector<std::int64_t> cut(const Sets& sets, std::vector<bool> kept, std::int64_t size);

// The nodes that stay when the best removal is made and cut to size. Of equal removals the first stays; with a coin
// that is not 0, it decides.
std::vector<std::int64_t> select(const Sets& sets, std::int64_t size, std::int64_t coin);

}  // namespace netplace::scheduling
