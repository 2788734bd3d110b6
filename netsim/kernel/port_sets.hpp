// One set for each port of a router, in the lanes of a vector: one operation serves all ports.
#pragma once

#include <cstdint>
#include <cstring>

namespace netplace {

// Sets of up to 16 members for four or six ports, in vectors of eight words: shorter ones are no faster.
template <int ports>
class PortSets {
    typedef std::uint16_t Vector __attribute__((vector_size(16)));
    typedef std::uint32_t Pairs __attribute__((vector_size(16)));
    typedef std::uint64_t Halves __attribute__((vector_size(16)));

public:
    using Word = std::uint16_t;
    static constexpr int room = 8;  // words

    PortSets() : words_{} {}
    // The words in memory from `first` on, and no more than those of six or four ports. A wide load of words that were
    // just written one by one would stall, because stores are not forwarded to it.
    template <class First>
    static PortSets read(const First* first) {
        static_assert(sizeof(First) == sizeof(Word));
        std::uint64_t low = 0;
        std::uint32_t high = 0;
        std::memcpy(&low, first, sizeof low);
        if constexpr (ports > 4) std::memcpy(&high, first + 4, sizeof high);
        return bits(low, high);
    }
    template <class First>
    void write(First* first) const {
        const Halves halves = (Halves)words_;
        const std::uint64_t low = halves[0];
        std::memcpy(static_cast<void*>(first), &low, sizeof low);
        if constexpr (ports > 4) {
            const auto high = static_cast<std::uint32_t>(halves[1]);
            std::memcpy(static_cast<void*>(first + 4), &high, sizeof high);
        }
    }
    // All words, of constants and of scratch.
    static PortSets from(const Word (&words)[room]) {
        PortSets all;
        std::memcpy(&all.words_, words, sizeof words);
        return all;
    }
    void store(Word (&words)[room]) const { std::memcpy(words, &words_, sizeof words); }
    // The same set for every port; not through 16-bit words, which would be stored and stall the wider load.
    static PortSets all(std::uint32_t word) { return (Vector)(Pairs{} + word * 0x10001u); }
    // The sets as bits: 16 for each port, from the first on.
    static PortSets bits(std::uint64_t low, std::uint64_t high) { return (Vector)Halves{low, high}; }
    // All members where a set has any, none elsewhere.
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
