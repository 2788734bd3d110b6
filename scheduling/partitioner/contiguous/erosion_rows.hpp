// Rows of bits, eroded along X: the first dimension of a bit map. A step reads one buffer and writes the other; the
// result is in the first.
#pragma once

#include <cstdint>

namespace netplace::scheduling {

using Word = std::uint64_t;

// Puts into `out` the first n words of `given` ANDed with those `ahead` of them.
void and_ahead(Word* out, const Word* given, std::int64_t n, std::int64_t ahead);

// Erodes rows of whole words by s, n words of `given`, into `a`. The last bit of each row is never set, so that one pass
// shifts all rows at once.
void erode_lines(Word* a, Word* b, const Word* given, std::int64_t n, std::int64_t s);

// Erodes rings of `side` nodes, `wide` words each, by s into `a`.
void erode_rings(Word* a, Word* b, const Word* given, std::int64_t rows, std::int64_t wide, std::int64_t side,
                 std::int64_t s);

// Erodes rows of at most 64 nodes by s, n words of `given`, into `a`. Every row takes `bits` bits of a word, 16, 32 or
// 64, of which the first `side` are nodes.
void erode_short_rows(Word* a, const Word* given, std::int64_t n, std::int64_t bits, std::int64_t side, std::int64_t s,
                      bool wraps);

}  // namespace netplace::scheduling
