// Robust tabu search with the gains of all swaps kept up to date, and best-improvement descent.
//
// Source: É. Taillard, "Robust taboo search for the quadratic assignment problem", Parallel Computing 17 (1991). After a
// swap the gain of every pair that it does not touch changes by a product of two differences, which is one pass over a
// triangle of numbers; the pairs it touches are priced anew. Costs are kept permuted, so that every inner loop runs
// along rows.
#include <algorithm>

#include "netplace/wide.hpp"
#include "placement/mapping/qap/searches.hpp"

namespace netplace::placement {
namespace {

constexpr double kNever = 1e300;
constexpr std::int64_t kParts = 8;  // sums and minima are taken in so many parts, which vector registers can hold

// The sum over j of (a[j] - b[j]) * (c[j] - d[j]).
NETPLACE_WIDE double product(const double* a, const double* b, const double* c, const double* d, std::int64_t n) {
    double parts[kParts] = {};
    std::int64_t j = 0;
    for (; j + kParts <= n; j += kParts) {
        for (std::int64_t part = 0; part < kParts; ++part) {
            parts[part] += (a[j + part] - b[j + part]) * (c[j + part] - d[j + part]);
        }
    }
    double total = 0.0;
    for (; j < n; ++j) total += (a[j] - b[j]) * (c[j] - d[j]);
    for (const auto part : parts) total += part;
    return total;
}

// Brings a row of the gains up to date, from `from` on; returns the least that is not tabu or that is below `wanted`.
NETPLACE_WIDE double least_of(double* __restrict gain, const double* free, const double* e, const double* d, double eu,
                              double du, std::int64_t from, std::int64_t n, double now, double wanted) {
    double parts[kParts];
    std::fill(parts, parts + kParts, kNever);
    auto v = from;
    for (; v + kParts <= n; v += kParts) {
        for (std::int64_t part = 0; part < kParts; ++part) {
            const auto value = gain[v + part] + (eu - e[v + part]) * (du - d[v + part]);
            gain[v + part] = value;
            const auto allowed = (free[v + part] < now) | (value < wanted) ? value : kNever;
            parts[part] = allowed < parts[part] ? allowed : parts[part];
        }
    }
    auto least = kNever;
    for (; v < n; ++v) {
        gain[v] += (eu - e[v]) * (du - d[v]);
        if (free[v] < now || gain[v] < wanted) least = std::min(least, gain[v]);
    }
    for (const auto part : parts) least = std::min(least, part);
    return least;
}

// Adds to a row of the gains what the flows of one direction make of the last swap.
NETPLACE_WIDE void update(double* __restrict gain, const double* e, const double* d, double eu, double du,
                          std::int64_t from, std::int64_t n) {
    for (auto v = from; v < n; ++v) gain[v] += (eu - e[v]) * (du - d[v]);
}

// Adds to gain[k] what the swap of r and k changes in the flows out of both to third tasks.
void add_half_gains(const double* A, const double* costs, std::int64_t n, std::int64_t r, double* gain) {
    const auto *Ar = A + r * n, *Cr = costs + r * n;
    for (std::int64_t k = 0; k < n; ++k) {
        const auto *Ak = A + k * n, *Ck = costs + k * n;
        auto total = product(Ar, Ak, Ck, Cr, n);
        total -= (Ar[r] - Ak[r]) * (Ck[r] - Cr[r]);
        total -= (Ar[k] - Ak[k]) * (Ck[k] - Cr[k]);
        gain[k] += total;
    }
}

// Exchanges rows and columns r and s.
void exchange(double* costs, std::int64_t n, std::int64_t r, std::int64_t s) {
    std::swap_ranges(costs + r * n, costs + (r + 1) * n, costs + s * n);
    for (std::int64_t k = 0; k < n; ++k) std::swap(costs[k * n + r], costs[k * n + s]);
}

}  // namespace

// Sets priced[k] to the change of cost when r and k are swapped.
void TabuProblem::price(std::int64_t r, double* priced) const {
    std::fill_n(priced, n, 0.0);
    add_half_gains(A, costs, n, r, priced);
    if (symmetric) {
        for (std::int64_t k = 0; k < n; ++k) priced[k] *= 2.0;
    } else {
        add_half_gains(AT, costs_back, n, r, priced);
    }
    const auto a = [&](std::int64_t i, std::int64_t j) { return A[i * n + j]; };
    const auto c = [&](std::int64_t i, std::int64_t j) { return costs[i * n + j]; };
    for (std::int64_t k = 0; k < n; ++k) {
        priced[k] += (a(r, r) - a(k, k)) * (c(k, k) - c(r, r));
        priced[k] += (a(r, k) - a(k, r)) * (c(k, r) - c(r, k));
    }
}

std::int64_t TabuProblem::search(Draws draws, std::int64_t iterations, double low, double high) {
    std::vector<double> e(n), d(n), e2(n), d2(n), priced(n);  // differences that the last swap made: out, and back
    if (state[0] == 0) {
        for (std::int64_t r = 0; r < rows; ++r) price(r, gain + r * n);
    }
    for (std::int64_t done = 0; done < iterations; ++done) {
        const auto now = state[0] + 1, wanted = state[2] - state[1];
        auto least = kNever;
        std::int64_t r = -1;
        for (std::int64_t u = 0; u < rows; ++u) {
            if (!symmetric) update(gain + u * n, e2.data(), d2.data(), e2[u], d2[u], u + 1, n);
            const auto candidate =
                least_of(gain + u * n, free + u * n, e.data(), d.data(), e[u], d[u], u + 1, n, now, wanted);
            if (candidate < least) {
                least = candidate;
                r = u;
            }
        }
        state[0] = now;
        if (r < 0 || (high == 0 && least >= 0)) {
            std::fill(e.begin(), e.end(), 0.0);
            std::fill(e2.begin(), e2.end(), 0.0);
            if (high == 0) return done;
            continue;
        }
        auto s = r + 1;
        while (s < n - 1 && (gain[r * n + s] != least || !(free[r * n + s] < now || least < wanted))) ++s;
        std::swap(place[r], place[s]);
        state[1] += least;
        if (state[1] < state[2]) {
            state[2] = state[1];
            std::copy(place.begin(), place.end(), best.begin());
        }
        if (high > 0) {
            for (std::int64_t k = 0; k < n; ++k) std::swap(until[k * n + r], until[k * n + s]);
            until[r * n + s] = now + low + (high - low) * draws.uniform();
            until[s * n + r] = now + low + (high - low) * draws.uniform();
            for (const auto x : {r, s}) {
                for (std::int64_t k = 0; k < n; ++k) {
                    free[k * n + x] = free[x * n + k] = std::min(until[k * n + x], until[x * n + k]);
                }
            }
        }
        exchange(costs, n, r, s);
        if (!symmetric) exchange(costs_back, n, r, s);
        for (std::int64_t k = 0; k < n; ++k) {
            e[k] = A[r * n + k] - A[s * n + k];
            d[k] = costs[s * n + k] - costs[r * n + k];
            if (symmetric) {
                e[k] *= 2.0;
            } else {
                e2[k] = AT[r * n + k] - AT[s * n + k];
                d2[k] = costs_back[s * n + k] - costs_back[r * n + k];
            }
        }
        // The next pass adds its product to these rows as well: take it off beforehand.
        for (const auto x : {r, s}) {
            price(x, priced.data());
            for (std::int64_t k = 0; k < n; ++k) {
                auto value = priced[k] - (e[k] - e[x]) * (d[k] - d[x]);
                if (!symmetric) value -= (e2[k] - e2[x]) * (d2[k] - d2[x]);
                gain[std::min(x, k) * n + std::max(x, k)] = value;
            }
        }
    }
    // A search that goes on begins with a pass that must change nothing: bring the gains up to date now.
    for (std::int64_t u = 0; u < rows; ++u) {
        update(gain + u * n, e.data(), d.data(), e[u], d[u], u + 1, n);
        if (!symmetric) update(gain + u * n, e2.data(), d2.data(), e2[u], d2[u], u + 1, n);
    }
    return iterations;
}

}  // namespace netplace::placement
