// One set for each port of a router, side by side in a vector: what is done for all ports is done in one step.
#pragma once

#include <cstdint>
#include <cstring>

namespace netplace {

template <int lanes>
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

template <int lanes>
class Lanes {
    using Vector = typename VectorOf<lanes>::Words;
    using Halves = typename VectorOf<lanes>::Halves;

public:
    using Word = std::uint16_t;

    Lanes() : words_{} {}
    // The words that lie in memory from `first` on.
    template <class First>
    static Lanes from(const First* first) {
        static_assert(sizeof(First) == sizeof(Word));
        Lanes read;
        std::memcpy(&read.words_, first, lanes * sizeof(Word));
        return read;
    }
    void store(Word* first) const { std::memcpy(first, &words_, lanes * sizeof(Word)); }
    // The same set in every lane.
    static Lanes all(Word word) { return Vector{} + word; }
    // The lanes as bits: 16 each, from the lowest on.
    static Lanes bits(std::uint64_t low, [[maybe_unused]] std::uint64_t high) {
        if constexpr (lanes > 4) {
            return (Vector)Halves{low, high};
        } else {
            return (Vector)Halves{low};
        }
    }
    // All members where any is there, none elsewhere.
    static Lanes where(Lanes some) { return (Vector)(some.words_ != 0); }

    friend Lanes operator&(Lanes a, Lanes b) { return a.words_ & b.words_; }
    friend Lanes operator|(Lanes a, Lanes b) { return a.words_ | b.words_; }
    friend Lanes operator-(Lanes a, Lanes b) { return a.words_ & ~b.words_; }

    // The union of all lanes.
    Word joined() const {
        const Halves halves = (Halves)words_;
        std::uint64_t all = halves[0];
        if constexpr (lanes > 4) all |= halves[1];
        all |= all >> 32;
        return static_cast<Word>(all | all >> 16);
    }
    // For each lane of a pair the union of the pairs before it, in the first six lanes.
    Lanes earlier() const {
        const std::uint64_t low = ((Halves)words_)[0];
        const std::uint64_t pairs = low | (low & 0x0000FFFF0000FFFF) << 16 | (low >> 16 & 0x0000FFFF0000FFFF);
        return bits(pairs << 32, pairs | pairs >> 32);
    }

private:
    Lanes(Vector words) : words_(words) {}

    Vector words_;
};

}  // namespace netplace
