// One set for each port of a router, side by side in a vector: what is done for all ports is done in one step.
#pragma once

#include <cstdint>
#include <cstring>

namespace netplace {

// Vectors of 16-bit words, and the same in words of 64 bits.
template <int ports>
struct VectorOf;
template <>
struct VectorOf<4> {
    typedef std::uint16_t Words __attribute__((vector_size(8)));
    typedef std::uint64_t Halves __attribute__((vector_size(8)));
};
template <>
struct VectorOf<8> {
    typedef std::uint16_t Words __attribute__((vector_size(16)));
    typedef std::uint64_t Halves __attribute__((vector_size(16)));
};

// Sets of up to 16 members for four or eight ports.
template <int ports>
class PortSets {
    using Vector = typename VectorOf<ports>::Words;
    using Halves = typename VectorOf<ports>::Halves;

public:
    using Word = std::uint16_t;

    PortSets() : words_{} {}
    // The words that lie in memory from `first` on.
    template <class First>
    static PortSets from(const First* first) {
        static_assert(sizeof(First) == sizeof(Word));
        PortSets read;
        std::memcpy(&read.words_, first, ports * sizeof(Word));
        return read;
    }
    void store(Word* first) const { std::memcpy(first, &words_, ports * sizeof(Word)); }
    // The same set for every port.
    static PortSets all(Word word) { return Vector{} + word; }
    // The sets as bits: 16 for each port, from the first on.
    static PortSets bits(std::uint64_t low, [[maybe_unused]] std::uint64_t high) {
        if constexpr (ports > 4) {
            return (Vector)Halves{low, high};
        } else {
            return (Vector)Halves{low};
        }
    }
    // All members where any is there, none elsewhere.
    static PortSets where(PortSets some) { return (Vector)(some.words_ != 0); }

    friend PortSets operator&(PortSets a, PortSets b) { return a.words_ & b.words_; }
    friend PortSets operator|(PortSets a, PortSets b) { return a.words_ | b.words_; }
    friend PortSets operator-(PortSets a, PortSets b) { return a.words_ & ~b.words_; }

    // The union of all.
    Word joined() const {
        const Halves halves = (Halves)words_;
        std::uint64_t all = halves[0];
        if constexpr (ports > 4) all |= halves[1];
        all |= all >> 32;
        return static_cast<Word>(all | all >> 16);
    }
    // For each port the union over the pairs of ports before its own pair, up to the sixth port.
    PortSets earlier() const {
        const std::uint64_t low = ((Halves)words_)[0];
        const std::uint64_t pairs = low | (low & 0x0000FFFF0000FFFF) << 16 | (low >> 16 & 0x0000FFFF0000FFFF);
        return bits(pairs << 32, pairs | pairs >> 32);
    }

private:
    PortSets(Vector words) : words_(words) {}

    Vector words_;
};

}  // namespace netplace
