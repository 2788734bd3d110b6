// Sets of a router's inputs or outputs as bit masks: one word of 16, 32 or 64 bits, or several words.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace netplace {

template <class Word, int words = 1>
struct Set {
    static constexpr int width = 8 * sizeof(Word);
    static constexpr int capacity = words * width;
    // The same set in machine words, for computing.
    using Local = Set<std::conditional_t<(width < 32), std::uint32_t, Word>, words>;

    Word word[words] = {};

    Set() = default;
    template <class Other>
    Set(const Set<Other, words>& other) {
        for (int n = 0; n < words; ++n) word[n] = static_cast<Word>(other.word[n]);
    }
    static Set all() {
        Set set;
        for (Word& w : set.word) w = static_cast<Word>(~Word{0});
        return set;
    }
    static Set only(int member) {
        Set set;
        set.insert(member);
        return set;
    }
    // `count` members from `low` on.
    static Set range(int low, int count) {
        Set set;
        if constexpr (words == 1) {
            set.word[0] = static_cast<Word>(((std::uint64_t{1} << count) - 1) << low);  // a router has 63 at most
        } else {
            for (int n = 0; n < words; ++n) {
                const int first = low > n * width ? low - n * width : 0;
                const int last = low + count < (n + 1) * width ? low + count - n * width : width;
                if (first < last) set.word[n] = static_cast<Word>(mask(last - first) << first);
            }
        }
        return set;
    }

    // For each member `count` from `low` above it on; members are further apart than that.
    Set runs(int low, int count) const {
        if constexpr (words == 1) return Set(word[0] * range(low, count).word[0]);
        Set all;
        for_each([&](int first) { all |= range(first + low, count); });
        return all;
    }

    bool has(int member) const { return at(member) >> shift(member) & 1; }
    void insert(int member) { at(member) |= bit(member); }
    void erase(int member) { at(member) &= static_cast<Word>(~bit(member)); }
    void insert_if(int member, bool so) { at(member) |= static_cast<Word>(Word{so} << shift(member)); }

    bool any() const {
        Word some = 0;
        for (Word w : word) some |= w;
        return some != 0;
    }
    bool none() const { return !any(); }
    bool single() const {
        if constexpr (words == 1) return (word[0] ^ (word[0] - 1u)) > word[0] - 1u;
        int members = 0;  // up to two of each word
        for (Word w : word) members += (w != 0) + ((w & (w - 1)) != 0);
        return members == 1;
    }
    int count() const {
        int members = 0;
        for (Word w : word) members += std::popcount(w);
        return members;
    }
    // The lowest member; the set is not empty.
    int lowest() const {
        for (int n = 0; n < words - 1; ++n)
            if (word[n]) return n * width + first_of(word[n]);
        return (words - 1) * width + first_of(word[words - 1]);
    }
    int take_lowest() {
        const int member = lowest();
        Word& its = at(member);
        its &= static_cast<Word>(its - 1);
        return member;
    }
    // The first member at or after `turn`, cyclically; the set is not empty.
    int next_from(int turn) const {
        if constexpr (words == 1) return (first_of(std::rotr(word[0], turn)) + turn) % width;
        const Set later = from(turn);
        return later.any() ? later.lowest() : lowest();
    }
    // The members that are not below `turn`, which is less than `capacity`.
    Set from(int turn) const {
        Set rest;
        if constexpr (words == 1) {
            rest.word[0] = static_cast<Word>(static_cast<std::uint64_t>(word[0]) >> turn << turn);
        } else {
            for (int n = 0; n < words; ++n) {
                const int low = turn - n * width;
                rest.word[n] = low <= 0 ? word[n] : low < width ? static_cast<Word>(word[n] >> low << low) : 0;
            }
        }
        return rest;
    }
    // The member with rank `count`, from 0.
    int nth(int count) const {
        Set rest = *this;
        while (count-- > 0) rest.take_lowest();
        return rest.lowest();
    }

    Set& operator&=(const Set& other) {
        for (int n = 0; n < words; ++n) word[n] &= other.word[n];
        return *this;
    }
    Set& operator|=(const Set& other) {
        for (int n = 0; n < words; ++n) word[n] |= other.word[n];
        return *this;
    }
    Set& operator-=(const Set& other) {
        for (int n = 0; n < words; ++n) word[n] &= static_cast<Word>(~other.word[n]);
        return *this;
    }
    friend Set operator&(Set a, const Set& b) { return a &= b; }
    friend Set operator|(Set a, const Set& b) { return a |= b; }
    friend Set operator-(Set a, const Set& b) { return a -= b; }
    bool operator==(const Set&) const = default;

    // The set itself if `so`, else the empty one, without a branch that would be mispredicted.
    Set where(bool so) const {
        Set set = *this;
        const Word keep = static_cast<Word>(-Word{so});
        for (Word& w : set.word) w &= keep;
        return set;
    }

    template <class Visit>
    void for_each(Visit visit) const {
        for (int n = 0; n < words; ++n)
            for (Word rest = word[n]; rest; rest &= static_cast<Word>(rest - 1)) visit(n * width + first_of(rest));
    }

private:
    explicit Set(Word only) : word{only} {}
    static std::uint64_t mask(int count) { return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1; }
    static int shift(int member) { return words == 1 ? member : member % width; }
    static int first_of(Word word) { return __builtin_ctzll(word); }  // of a word that is not 0, which std::countr_zero would ask
    static Word bit(int member) { return static_cast<Word>(Word{1} << shift(member)); }
    Word& at(int member) { return word[words == 1 ? 0 : member / width]; }
    const Word& at(int member) const { return word[words == 1 ? 0 : member / width]; }
};

// Uninitialized sets: if only a few are used, clearing all of them would take most of the time.
template <class S, int count>
class Unset {
public:
    Unset() {}
    S& operator[](int n) { return sets_[n]; }
    const S& operator[](int n) const { return sets_[n]; }

private:
    union {
        S sets_[count];
    };
};

}  // namespace netplace
