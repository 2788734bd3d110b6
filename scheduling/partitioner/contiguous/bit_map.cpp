#include "scheduling/partitioner/contiguous/bit_map.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "netplace/wide.hpp"

namespace netplace::scheduling {
namespace {

using Word = std::uint64_t;

constexpr std::int64_t kChunk = 1024;  // units of 16 bits: two kilobytes amortise what a pass costs to start

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

// Puts into `out` the first n words of `given` ANDed with those `ahead` of them.
NETPLACE_WIDE void and_ahead(Word* __restrict out, const Word* given, std::int64_t n, std::int64_t ahead) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = given[i] & given[i + ahead];
}

// Erodes rows of whole words by s, n words of `given`, into `a`; a step reads one buffer and writes the other. The last
// bit of each row is never set, so that one pass shifts all rows at once.
void erode_lines(Word* a, Word* b, const Word* given, std::int64_t n, std::int64_t s) {
    auto *from = steps_to(s) % 2 ? b : a, *other = from == a ? b : a;
    std::copy_n(given, n, from);
    erode(from, other, n, s);
}

// Erodes rings of `side` nodes, `wide` words each, by s into `a`.
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

// Erodes rows of at most 64 nodes by s, n words of `given`, into `a`. Every row takes `bits` bits of a word, 16, 32 or
// 64, of which the first `side` are nodes.
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

// ANDs planes of `given` with themselves shifted by `ahead` units along a dimension of which a block of units is a
// whole, into `out`. Units that fill up a plane are less than a block.
void and_along(std::uint16_t* out, const std::uint16_t* given, std::int64_t used, std::int64_t units,
               std::int64_t block, std::int64_t ahead, bool wraps) {
    for (std::int64_t i = 0; i < used - ahead; ++i) out[i] = given[i] & given[i + ahead];
    const auto inside = block - ahead, blocks = units / block * block;
    for (std::int64_t start = 0; start < used; start += units) {
        // At the end of each block what lies ahead is its beginning, or nothing.
        for (auto first = start; first < start + blocks; first += block) {
            for (auto i = first + inside; i < first + block; ++i) {
                out[i] = wraps ? given[i] & given[i - inside] : 0;
            }
        }
    }
}

}  // namespace

BitMap::BitMap(Sides sizes, bool wraps) : sizes_(std::move(sizes)), asked_(sizes_.size()), wraps_(wraps) {
    const auto side = sizes_.front(), planes = sizes_.back();
    std::int64_t rows = 1;
    for (std::size_t d = 1; d + 1 < sizes_.size(); ++d) rows *= sizes_[d];
    // Rows of up to 64 nodes share words, longer ones are whole words, on a mesh with a bit to spare.
    width_ = side <= 16 ? 1 : side <= 32 ? 2 : side <= 64 ? 4 : 4 * (wraps ? (side + 63) / 64 : side / 64 + 1);
    units_ = (rows * width_ + 3) / 4 * 4;
    chunk_ = std::max(std::int64_t{1}, std::min(planes, kChunk / units_));
    const auto stretched = chunk_ * rows * (2 * width_ + 4) + 2 * width_ + 8;
    free_.resize(planes * units_ / 4);
    eroded_.resize(free_.size());
    state_.resize(planes);
    a_.resize(std::max(planes * units_ / 4, (stretched + 3) / 4));
    b_.resize(a_.size());
}

// Sets or clears the bits from `begin` to before `end` of the row whose first unit is `unit`.
void BitMap::fill_row(std::int64_t unit, std::int64_t begin, std::int64_t end, bool free) {
    for (auto bit = 16 * unit + begin; bit < 16 * unit + end;) {
        const auto until = std::min(16 * unit + end, (bit / 64 + 1) * 64);
        const auto mask = ~std::uint64_t{0} >> (64 - (until - bit)) << (bit % 64);
        free_[bit / 64] = free ? free_[bit / 64] | mask : free_[bit / 64] & ~mask;
        bit = until;
    }
}

void BitMap::fill(std::int64_t base, const Sides& shape, bool free) {
    const auto dims = sizes_.size();
    const auto side = sizes_[0], x = base % side, end = x + shape[0];
    std::int64_t rows = 1, lines = 1;
    for (std::size_t d = 1; d + 1 < dims; ++d) {
        rows *= sizes_[d];
        lines *= shape[d];
    }
    const auto row = base / side % rows, start = base / side / rows;
    for (std::int64_t line = 0; line < lines; ++line) {
        // Coordinates of the row, digit by digit.
        std::int64_t rest = line, left = row, place = 0, stride = 1;
        for (std::size_t d = 1; d + 1 < dims; ++d) {
            place += (left + rest % shape[d]) % sizes_[d] * stride;
            left /= sizes_[d];
            rest /= shape[d];
            stride *= sizes_[d];
        }
        for (std::int64_t j = 0; j < shape.back(); ++j) {
            const auto plane = start + j < planes() ? start + j : start + j - planes();
            state_[plane] = State::stale;
            const auto first = plane * units_ + place * width_;
            fill_row(first, x, std::min(end, side), free);
            if (end > side) fill_row(first, 0, end - side, free);
        }
    }
}

// Keeps as eroded the plane at `place` of the words given.
void BitMap::keep(const Words& given, std::int64_t plane, std::int64_t place) {
    const auto n = units_ / 4;
    const auto* source = given.data() + place * n;
    std::copy_n(source, n, eroded_.data() + plane * n);
    const auto left = std::accumulate(source, source + n, std::uint64_t{0}, std::bit_or<>());
    state_[plane] = left ? State::some : State::empty;
}

// Erodes planes `low` to before `high` along all dimensions but the last.
void BitMap::erode(const Sides& shape, std::int64_t low, std::int64_t high) {
    const auto side = sizes_[0], s = shape[0], words = units_ / 4, used = (high - low) * words;
    const auto* given = free_.data() + low * words;
    if (side <= 64) {
        erode_short_rows(a_.data(), given, used, 16 * width_, side, s, wraps_);
    } else if (wraps_) {
        const auto wide = width_ / 4;
        erode_rings(a_.data(), b_.data(), given, used / wide, wide, side, s);
    } else {
        erode_lines(a_.data(), b_.data(), given, used, s);
    }
    auto *from = &a_, *to = &b_;
    auto stride = width_;
    for (std::size_t d = 1; d + 1 < sizes_.size(); ++d) {
        const auto block = stride * sizes_[d];
        for (std::int64_t done = 1; done < shape[d];) {
            const auto k = std::min(done, shape[d] - done);
            and_along(reinterpret_cast<std::uint16_t*>(to->data()), reinterpret_cast<const std::uint16_t*>(from->data()),
                      (high - low) * units_, units_, block, k * stride, wraps_);
            std::swap(from, to);
            done += k;
        }
        stride = block;
    }
    for (auto plane = low; plane < high; ++plane) keep(*from, plane, plane - low);
}

// Erodes the stale planes around the stale `plane`, at most a chunk; returns how many.
std::int64_t BitMap::erode_around(const Sides& shape, std::int64_t plane) {
    const auto least = plane - plane % chunk_, most = std::min(least + chunk_, planes());
    auto low = plane, high = plane + 1;
    while (low > least && state_[low - 1] == State::stale) --low;
    while (high < most && state_[high] == State::stale) ++high;
    erode(shape, low, high);
    return high - low;
}

// The first bit set in s planes from one of `count` on, counted from plane z, or -1.
std::int64_t BitMap::first_bit(std::int64_t z, std::int64_t count, std::int64_t s) {
    const auto words = units_ / 4, ring = planes() * words, start = z * words;
    auto used = (count + s - 1) * words;
    const auto inside = std::min(used, ring - start);
    std::copy_n(eroded_.data() + start, inside, a_.data());  // round the ring
    std::copy_n(eroded_.data(), used - inside, a_.data() + inside);
    auto *from = &a_, *to = &b_;
    for (std::int64_t done = 1; done < s;) {
        const auto k = std::min(done, s - done);
        used -= k * words;
        and_ahead(to->data(), from->data(), used, k * words);
        std::swap(from, to);
        done += k;
    }
    for (std::int64_t i = 0; i < used; ++i) {
        if ((*from)[i]) return 64 * i + std::countr_zero((*from)[i]);
    }
    return -1;
}

// The node at a bit counted from plane z.
std::int64_t BitMap::node_at(std::int64_t z, std::int64_t bit) const {
    std::int64_t rows = 1;
    for (std::size_t d = 1; d + 1 < sizes_.size(); ++d) rows *= sizes_[d];
    const auto plane = z + bit / (16 * units_), inside = bit % (16 * units_);
    return (plane * rows + inside / (16 * width_)) * sizes_[0] + inside % (16 * width_);
}

std::pair<std::int64_t, std::int64_t> BitMap::find(const Sides& shape) {
    if (!std::equal(shape.begin(), shape.end() - 1, asked_.begin())) {
        asked_ = shape;
        std::fill(state_.begin(), state_.end(), State::stale);
    }
    const auto s = shape.back(), last = wraps_ ? planes() - 1 : planes() - s;
    std::int64_t looked = 0, most = chunk_;
    const auto is_empty = [&](std::int64_t plane) {
        if (state_[plane] == State::stale) looked += erode_around(shape, plane);
        return state_[plane] == State::empty;
    };
    for (std::int64_t z = 0; z <= last;) {
        // From the far end: an empty plane there rules out all bases up to it.
        auto j = s - 1;
        while (j >= 0 && !is_empty(z + j < planes() ? z + j : z + j - planes())) --j;
        if (j >= 0) {
            z += j + 1;
            continue;
        }
        std::int64_t count = 1;
        const auto limit = std::min({most, last - z + 1, planes() - s + 1});
        while (count < limit && !is_empty((z + s - 1 + count) % planes())) ++count;
        looked += count + s - 1;
        const auto bit = first_bit(z, count, s);
        if (bit >= 0) return {node_at(z, bit), looked * units_ / 4};
        z += count;
        // The longer the search, the more planes at a time.
        most = std::min(2 * most, std::max(chunk_, 2 * s));
    }
    return {-1, looked * units_ / 4};
}

}  // namespace netplace::scheduling
