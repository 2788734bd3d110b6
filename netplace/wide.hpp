// Loops over many small numbers are compiled for wider vector registers too, and the processor's are used: results
// are those of any other, for integers and for sums in a fixed order.
#pragma once

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define NETPLACE_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define NETPLACE_WIDE
#endif
// What is compiled anew within each wide loop that calls it.
#define NETPLACE_INSIDE [[gnu::always_inline]] inline
