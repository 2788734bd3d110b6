// Draws from a generator of NumPy's: the interface that its bit generators give to C.
#pragma once

#include <cstdint>

namespace netplace {

// As numpy/random/bitgen.h has it.
struct BitGenerator {
    void* state;
    std::uint64_t (*next_uint64)(void*);
    std::uint32_t (*next_uint32)(void*);
    double (*next_double)(void*);
    std::uint64_t (*next_raw)(void*);
};

class Draws {
public:
    explicit Draws(BitGenerator* bits) : bits_(bits) {}

    // A number from 0 to before 1, that of Generator.random().
    double uniform() { return bits_->next_double(bits_->state); }
    // A whole number from 0 to before `count`.
    std::int64_t below(std::int64_t count) { return static_cast<std::int64_t>(uniform() * static_cast<double>(count)); }

private:
    BitGenerator* bits_;
};

}  // namespace netplace
