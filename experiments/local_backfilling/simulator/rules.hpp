// Which of the free processors a job gets: the families of rules, whose members simulator/rules.py names.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace netplace::experiments {

enum class Family : std::int64_t { basic, first_piece, pieces, clusters, block, block_rank, clusters_tightest, block_tightest };

struct PlaceRule {
    Family family;
    bool forced;  // the job waits rather than get other processors
};

// A flag for each processor: whether it may be taken, or is.
using Flags = std::vector<std::uint8_t>;

// Marks in `chosen`, all 0, `size` of the processors that are `free`, at least so many; tells whether the rule found
// any. `blocks` has the processors of a block of each level, from level 1 on.
bool choose(PlaceRule rule, const Flags& free, std::span<const std::int64_t> blocks, std::int64_t size, Flags& chosen);

}  // namespace netplace::experiments
