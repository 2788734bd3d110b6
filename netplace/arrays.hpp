// The arrays that Python hands over, and the checks at the border: types and ranks are nanobind's, lengths and
// indices are checked here, so that wrong arrays raise ValueError and never reach beyond their memory.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "netplace/draws.hpp"

namespace netplace {

namespace nb = nanobind;

// A contiguous array of numbers that is read (T const) or written, of a number of dimensions. Arguments that are
// written are bound with .noconvert(): a copy would be written otherwise.
template <class T, std::size_t Rank = 1>
using Array = nb::ndarray<T, nb::ndim<Rank>, nb::c_contig, nb::device::cpu>;

// A new array of NumPy's that owns its numbers.
template <class T, std::size_t Rank = 1>
using Made = nb::ndarray<nb::numpy, T, nb::ndim<Rank>>;

template <class T, class... Rest>
std::span<T> flat(const nb::ndarray<T, Rest...>& array) {
    return {array.data(), array.size()};
}

[[noreturn]] inline void refuse(const std::string& sentence) { throw nb::value_error(sentence.c_str()); }

inline void need(bool held, const char* sentence) {
    if (!held) refuse(sentence);
}

// Checks that indices are from `low` up to `count` - 1.
template <class T>
void need_indices(std::span<T> indices, std::int64_t count, const char* what, std::int64_t low = 0) {
    bool wrong = false;
    for (const auto index : indices) wrong |= static_cast<std::int64_t>(index) < low || static_cast<std::int64_t>(index) >= count;
    if (!wrong) return;
    for (const auto index : indices) {
        if (static_cast<std::int64_t>(index) < low || static_cast<std::int64_t>(index) >= count) {
            refuse(std::string(what) + ": " + std::to_string(index) + " is not one of " + std::to_string(low) +
                   " to " + std::to_string(count - 1));
        }
    }
}

// Checks lists side by side: row i has the indices, below `count`, from other[first[i]] to before other[first[i + 1]].
template <class Index>
void need_lists(std::span<const Index> first, std::span<const Index> other, std::size_t sizes, std::int64_t count,
                const char* what) {
    need(!first.empty() && first[0] == 0 && static_cast<std::size_t>(first.back()) == other.size() &&
             sizes == other.size() && std::is_sorted(first.begin(), first.end()), what);
    need_indices(other, count, what);
}

// Checks the sides of a network, and returns its nodes: so many at most that lists of them fit into memory.
inline std::int64_t need_sides(std::span<const std::int64_t> sides, const std::string& what = "sizes") {
    constexpr std::int64_t most = 1 << 28;
    std::int64_t nodes = 1;
    if (sides.empty() || sides.size() >= 32) refuse(what + ": of one dimension at least");
    for (const auto side : sides) {
        if (side < 1 || nodes > most / side) refuse(what + ": from 1, and not too many nodes");
        nodes *= side;
    }
    return nodes;
}

// The draws of a numpy.random.Generator, which must live as long as they are used.
inline Draws draws_of(nb::handle generator) {
    const auto capsule = generator.attr("bit_generator").attr("capsule");
    auto* bits = static_cast<BitGenerator*>(PyCapsule_GetPointer(capsule.ptr(), "BitGenerator"));
    if (!bits) throw nb::python_error();
    return Draws(bits);
}

// Moves numbers into an array of NumPy's.
template <class T>
Made<T> made(std::vector<T>&& numbers) {
    auto* kept = new std::vector<T>(std::move(numbers));
    nb::capsule owner(kept, [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
    return Made<T>(kept->data(), {kept->size()}, owner);
}

}  // namespace netplace
