#include "scheduling/partitioner/contiguous/erosion_rows.hpp"

#include <algorithm>
#include <utility>

#include "netplace/wide.hpp"

namespace netplace::scheduling {
namespace {

constexpr Word kAll = ~Word{0};

// Puts into `out` the first n words of `bits` ANDed with the same shifted by k bits.
NETPLACE_WIDE void and_shifted(Word* __restrict out, const Word* bits, std::int64_t n, std::int64_t k) {
    const auto* ahead = bits + (k >> 6);
    const auto right = static_cast<unsigned>(k & 63);
    if (right) {
        for (std::int64_t i = 0; i < n; ++i) out[i] = bits[i] & (ahead[i] >> right | ahead[i + 1] << (64 - right));
    } else {
        for (std::int64_t i = 0; i < n; ++i) out[i] = bits[i] & ahead[i];
    }
}

// How many shifts by 1, 2, 4 .., no longer than needed, erode by s.
int steps_to(std::int64_t s) {
    int steps = 0;
    while (std::int64_t{1} << steps < s) ++steps;
    return steps;
}

// Erodes the n words in `from`, with `other` as the second buffer; they come out in `other` if the steps are odd.
void erode(Word* from, Word* other, std::int64_t n, std::int64_t s) {
    for (std::int64_t done = 1; done < s;) {
        const auto k = std::min(done, s - done);
        and_shifted(other, from, n, k);
        std::swap(from, other);
        done += k;
    }
}

// Copies rows of `wide` words, each followed by its own beginning up to `stretched` words.
void stretch(Word* out, const Word* given, std::int64_t rows, std::int64_t wide, std::int64_t stretched,
             std::int64_t side) {
    const auto first = side >> 6;
    const auto shift = static_cast<unsigned>(side & 63);
    for (std::int64_t row = 0; row < rows; ++row, out += stretched, given += wide) {
        std::copy_n(given, wide, out);
        std::fill(out + wide, out + stretched, Word{0});
        for (std::int64_t i = 0; i < stretched - first; ++i) {
            out[first + i] |= given[i] << shift;
            if (shift && first + i + 1 < stretched) out[first + i + 1] |= given[i] >> (64 - shift);
        }
    }
}

}  // namespace

NETPLACE_WIDE void and_ahead(Word* __restrict out, const Word* given, std::int64_t n, std::int64_t ahead) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = given[i] & given[i + ahead];
}

void erode_lines(Word* a, Word* b, const Word* given, std::int64_t n, std::int64_t s) {
    auto *from = steps_to(s) % 2 ? b : a, *other = from == a ? b : a;
    std::copy_n(given, n, from);
    erode(from, other, n, s);
}

void erode_rings(Word* a, Word* b, const Word* given, std::int64_t rows, std::int64_t wide, std::int64_t side,
                 std::int64_t s) {
    const auto stretched = (side + s + 62) >> 6;
    auto *from = steps_to(s) % 2 ? b : a, *other = from == a ? b : a;
    stretch(from, given, rows, wide, stretched, side);
    erode(from, other, rows * stretched, s);
    const auto rest = kAll >> (static_cast<unsigned>(-side) & 63);
    for (std::int64_t row = 0; row < rows; ++row) {
        // Rows move towards the beginning: nothing is overwritten before it is read.
        std::copy(a + row * stretched, a + row * stretched + wide, a + row * wide);
        a[row * wide + wide - 1] &= rest;
    }
}

void erode_short_rows(Word* a, const Word* given, std::int64_t n, std::int64_t bits, std::int64_t side, std::int64_t s,
                      bool wraps) {
    std::copy_n(given, n, a);
    const auto lanes = kAll / (kAll >> (64 - bits));  // the lowest bit of each row
    for (std::int64_t done = 1; done < s;) {
        const auto k = std::min(done, s - done), left = side - k;
        const auto keep = lanes * ((Word{1} << left) - 1);
        const auto turn = wraps ? lanes * (((Word{1} << k) - 1) << left) : 0;
        for (std::int64_t i = 0; i < n; ++i) a[i] &= (a[i] >> k & keep) | (a[i] << left & turn);
        done += k;
    }
}

}  // namespace netplace::scheduling
