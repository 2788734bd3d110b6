// Tables of what is known of a row of centres, and the loops over it.
//
// Every loop does the same to all centres of a row, in numbers of 8 bits (of 16 on machines of large diameter), so that
// the processor does as many at a time as fit into its vector registers.
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include "netplace/wide.hpp"
#include "scheduling/partitioner/centres/axes.hpp"

namespace netplace::scheduling {

inline constexpr std::int64_t kLanes = 512;
inline constexpr std::int64_t kTogether = 50;  // points of lines counted in 8 bits; of a line, at most two at one distance

// A number of each centre.
template <class T>
struct alignas(64) Lanes {
    T of[kLanes];
    T& operator[](std::int64_t lane) { return of[lane]; }
    const T& operator[](std::int64_t lane) const { return of[lane]; }
};

#define NETPLACE_EACH_LANE for (std::int64_t lane = 0; lane < kLanes; ++lane)

// What is known of a row of centres; every place of every dimension has a row in some tables. Distances are `Small`,
// numbers of nodes `Count`.
template <class Small, class Count>
struct Tables {
    using Sum = std::conditional_t<sizeof(Count) == 2, std::int32_t, std::int64_t>;

    Tables(const Axes& axes, std::int64_t each) : together(std::max<std::int64_t>(1, kTogether / each)),
                                                  limit(static_cast<Count>(2 * each * together)), first(1) {
        for (const auto size : axes.sizes) first.push_back(first.back() + size);
        const auto places = first.back();
        gap.resize(places);
        chosen.resize(places);
        along.resize(axes.sizes[0]);
        near.resize(places);
        far.resize(places);
        alike.resize(places);
    }

    // Fills in what is known of a row of centres; lanes that are left over repeat the last.
    void set_up(const Axes& axes, Nodes row, std::span<const Count> radii, std::span<const Count> nearer,
                std::int64_t size) {
        const auto last = static_cast<std::int64_t>(row.size()) - 1;
        NETPLACE_EACH_LANE {
            const auto centre = row[std::min(lane, last)];
            radius[lane] = static_cast<Small>(radii[centre]);
            wanted[lane] = static_cast<Count>(size - nearer[centre]);
        }
        for (std::size_t d = 0; d < axes.dims(); ++d) {
            NETPLACE_EACH_LANE here[lane] = static_cast<Small>(axes.place(d, row[std::min(lane, last)]));
            const auto ring = axes.kinds[d] == Kind::ring ? axes.sizes[d] : 0;
            for (std::int64_t place = 0; place < axes.sizes[d]; ++place) {
                fill_gap(first[d] + place, static_cast<Small>(place), static_cast<Small>(ring));
            }
        }
        std::fill(chosen.begin(), chosen.end(), Lanes<Count>{});
        std::fill(along.begin(), along.end(), Lanes<Small>{});
        std::fill(alike.begin(), alike.end(), Count{0});
    }

    // Fills in how many nodes at the last distance the next lines may bring, as far as it matters to them.
    NETPLACE_INSIDE void open_lines() {
        NETPLACE_EACH_LANE more[lane] = static_cast<Small>(std::min(wanted[lane], limit));
    }

    // Fills in by how much a node's plane lies beyond each radius; returns how many hops it is from the nearest and from
    // the farthest centre.
    NETPLACE_INSIDE std::pair<std::int64_t, std::int64_t> compare_plane(const Axes& axes, std::int64_t head) {
        std::int64_t least = 0, most = 0;
        NETPLACE_EACH_LANE plane[lane] = static_cast<Small>(-radius[lane]);
        for (std::size_t d = 2; d < axes.dims(); ++d) {
            const auto at = first[d] + axes.place(d, head);
            least += near[at];
            most += far[at];
            const auto& hops = gap[at];
            NETPLACE_EACH_LANE plane[lane] = static_cast<Small>(plane[lane] + hops[lane]);
        }
        return {least, most};
    }

    // Begins a line: fills in how far beyond the radius it lies, `at` its place in the second dimension or -1.
    NETPLACE_INSIDE void start_line(std::int64_t at) {
        if (at < 0) {
            beyond = plane;
        } else {
            const auto& hops = gap[at];
            NETPLACE_EACH_LANE beyond[lane] = static_cast<Small>(plane[lane] + hops[lane]);
        }
        in_line = {};
    }

    // Counts a node where it is chosen; ties go to the first that are still wanted.
    NETPLACE_INSIDE void take(std::int64_t place) {
        const auto& hops = gap[place];
        auto& count = along[place];
        NETPLACE_EACH_LANE {
            const auto over = static_cast<Small>(hops[lane] + beyond[lane]);
            const Small tied = over == 0, chosen_here = (over < 0) | (tied & (more[lane] > 0));
            more[lane] = static_cast<Small>(more[lane] - tied);
            count[lane] = static_cast<Small>(count[lane] + chosen_here);
            in_line[lane] = static_cast<Small>(in_line[lane] + chosen_here);
        }
    }

    // Counts the nodes at a point where they are chosen; of tied ones as many as are still wanted.
    NETPLACE_INSIDE void take_several(std::int64_t place, Small nodes) {
        const auto& hops = gap[place];
        auto& count = along[place];
        NETPLACE_EACH_LANE {
            const auto over = static_cast<Small>(hops[lane] + beyond[lane]);
            const auto tied = std::min(nodes, std::max(more[lane], Small{0}));
            const auto chosen_here = over < 0 ? nodes : over == 0 ? tied : Small{0};
            more[lane] = static_cast<Small>(more[lane] - (over == 0 ? nodes : Small{0}));
            count[lane] = static_cast<Small>(count[lane] + chosen_here);
            in_line[lane] = static_cast<Small>(in_line[lane] + chosen_here);
        }
    }

    // Adds what was chosen of a line to the nodes at its place.
    NETPLACE_INSIDE void add_line(std::int64_t at) {
        auto& count = chosen[at];
        NETPLACE_EACH_LANE count[lane] = static_cast<Count>(count[lane] + in_line[lane]);
    }

    // Counts what was chosen of the lines at hand, one of them this node's, and takes it off what is wanted.
    NETPLACE_INSIDE void close_lines(const Axes& axes, std::int64_t node) {
        total = {};
        for (std::size_t place = 0; place < along.size(); ++place) {
            const auto& line = along[place];
            auto& count = chosen[place];
            NETPLACE_EACH_LANE {
                count[lane] = static_cast<Count>(count[lane] + line[lane]);
                total[lane] = static_cast<Count>(total[lane] + line[lane]);
            }
        }
        std::fill(along.begin(), along.end(), Lanes<Small>{});
        for (std::size_t d = 2; d < axes.dims(); ++d) {
            auto& count = chosen[first[d] + axes.place(d, node)];
            NETPLACE_EACH_LANE count[lane] = static_cast<Count>(count[lane] + total[lane]);
        }
        NETPLACE_EACH_LANE {
            const auto opened = std::min(wanted[lane], limit);
            const auto left = static_cast<Count>(wanted[lane] - (opened - more[lane]));
            wanted[lane] = std::max(left, Count{0});
        }
    }

    // Adds the sums of distances over pairs in one dimension, as `along` of nearest.cpp has them.
    NETPLACE_INSIDE void add_pairs(std::size_t d, Kind kind, std::int64_t nodes, Lanes<std::int64_t>& cost) {
        auto* count = chosen.data() + first[d];
        const auto size = first[d + 1] - first[d], half = kind == Kind::ring ? size / 2 : 0;
        Lanes<Count> inside{};
        Lanes<Sum> sum{};
        for (std::int64_t place = 0; place < size; ++place) {
            const auto everywhere = alike[first[d] + place];
            NETPLACE_EACH_LANE count[place][lane] = static_cast<Count>(count[place][lane] + everywhere);
        }
        for (std::int64_t place = 0; place < half; ++place) {
            NETPLACE_EACH_LANE inside[lane] = static_cast<Count>(inside[lane] + count[place][lane]);
        }
        const auto all = static_cast<Sum>(nodes);
        for (std::int64_t place = 0; place < size; ++place) {
            const auto &here_now = count[place], &ahead = count[(place + half) % size];
            if (kind == Kind::line) {
                NETPLACE_EACH_LANE inside[lane] = static_cast<Count>(inside[lane] + here_now[lane]);
            }
            NETPLACE_EACH_LANE sum[lane] += inside[lane] * (all - inside[lane]);
            if (kind == Kind::ring) {
                NETPLACE_EACH_LANE {
                    inside[lane] = static_cast<Count>(inside[lane] + ahead[lane] - here_now[lane]);
                }
            }
        }
        NETPLACE_EACH_LANE cost[lane] += kind == Kind::ring ? sum[lane] / 2 : sum[lane];
    }

    // Fills in the hops from a place to each centre in its dimension, a ring of so many places or (0) a line.
    NETPLACE_INSIDE void fill_gap(std::int64_t at, Small place, Small ring) {
        auto& hops = gap[at];
        NETPLACE_EACH_LANE {
            const auto there = here[lane];
            const auto away = std::max(static_cast<Small>(there - place), static_cast<Small>(place - there));
            hops[lane] = ring ? std::min(away, static_cast<Small>(ring - away)) : away;
        }
        auto least = hops[0], most = hops[0];
        NETPLACE_EACH_LANE {
            least = std::min(least, hops[lane]);
            most = std::max(most, hops[lane]);
        }
        near[at] = least;
        far[at] = most;
    }

    std::int64_t together;             // lines that may be at hand at a time, and
    Count limit;                       // nodes that they may bring at one distance
    std::vector<std::int64_t> first;   // first row of each dimension, and the end
    Lanes<Small> beyond, more;         // by how much the line at hand lies beyond the radius; further nodes at the last
                                       // distance that the lines at hand may bring
    Lanes<Small> in_line, plane;       // chosen nodes of the line; by how much the plane lies beyond the radius
    Lanes<Small> radius, here;         // and the place in a dimension
    Lanes<Count> wanted, total;        // nodes at the last distance that each still wants; chosen ones of some lines
    std::vector<Lanes<Small>> gap;     // hops from each place to each centre in its dimension,
    std::vector<std::int64_t> near, far;       // the least and most of them
    std::vector<Lanes<Small>> along;           // chosen nodes of the lines at hand, by place in the first dimension
    std::vector<Lanes<Count>> chosen;          // chosen nodes at each place, but
    std::vector<Count> alike;                  // those that all centres choose
};

}  // namespace netplace::scheduling
