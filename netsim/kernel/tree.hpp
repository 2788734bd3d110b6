// Trees (model: "Trees"): the ports that a packet may take, and what waiting heads request.
#pragma once

#include <cstring>

#include "fifos.hpp"
#include "grid.hpp"

namespace netplace {

// Division by a number that is settled once, of numbers below 2^32.
class Divisor {
public:
    Divisor(std::uint32_t by = 1) : by_(by), magic_(by > 1 ? ~std::uint64_t{0} / by + 1 : 0) {}
    std::uint32_t of(std::uint32_t n) const {
        return by_ == 1 ? n : static_cast<std::uint32_t>(static_cast<unsigned __int128>(magic_) * n >> 64);
    }
    std::uint32_t rest(std::uint32_t n) const { return n - of(n) * by_; }

private:
    std::uint32_t by_;
    std::uint64_t magic_;
};

// Sixteen bytes with which the processor computes at once.
using Lanes = std::uint8_t __attribute__((vector_size(16)));
using Longs = std::uint64_t __attribute__((vector_size(16)));

// One bit of each lane, all of whose bits are equal.
inline std::uint32_t bits_of(Lanes lanes) {
#ifdef __SSE2__
    return static_cast<std::uint32_t>(__builtin_ia32_pmovmskb128(reinterpret_cast<char __attribute__((vector_size(16)))>(lanes)));
#else
    std::uint64_t half[2];
    lanes &= Lanes{1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    std::memcpy(half, &lanes, sizeof half);
    constexpr std::uint64_t all = 0x0101010101010101u;  // the highest byte of the product is the sum of the eight
    return static_cast<std::uint32_t>(half[0] * all >> 56 | half[1] * all >> 56 << 8);
#endif
}

inline Lanes least_of(Lanes a, Lanes b) { return a < b ? a : b; }

// The phits beyond all outputs of a usual router in a cycle, load + slope * cycle modulo 2^8.
class PhitsBeyond {
public:
    PhitsBeyond(const TreeRouter& r, std::uint8_t cycle, int most) : most_(most) {
        Lanes slopes;
        std::memcpy(&phits_, r.load, sizeof phits_);
        std::memcpy(&slopes, r.slope, sizeof slopes);
        phits_ += reinterpret_cast<Lanes>(slopes == 1) & cycle;
        phits_ -= reinterpret_cast<Lanes>(slopes == 255) & cycle;
        const auto words = reinterpret_cast<Words>(phits_);
        const Lanes least = least_of(phits_, reinterpret_cast<Lanes>(words << 8 | words >> 8));
        const auto enough = reinterpret_cast<Lanes>(least <= static_cast<std::uint8_t>(most));
        emptier_ = bits_of(reinterpret_cast<Lanes>(phits_ == least) & enough);
    }
    // Of some outputs those with fewest phits beyond; none if that is above `most`.
    template <class S>
    S fewest(const S& outputs) const {
        const std::uint32_t its = outputs.word[0], lowest = its & (0 - its);
        if (its == 3 * lowest) return of<S>(emptier_ & its);  // the two VCs of a port
        const Lanes bit{1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
        constexpr std::uint64_t all = 0x0101010101010101u;
        const auto lanes = reinterpret_cast<Lanes>(Longs{all * (its & 255u), all * (its >> 8)});
        const Lanes phits = phits_ | reinterpret_cast<Lanes>((lanes & bit) == 0);  // others count as full
        const auto halves = reinterpret_cast<Longs>(phits);
        Lanes least = least_of(phits, reinterpret_cast<Lanes>(Longs{halves[1], halves[0]}));
        for (int shift = 32; shift >= 8; shift /= 2)
            least = least_of(least, reinterpret_cast<Lanes>(reinterpret_cast<Longs>(least) >> shift));
        return of<S>(bits_of(reinterpret_cast<Lanes>(phits == least[0]))).where(least[0] <= most_);
    }

private:
    using Words = std::uint16_t __attribute__((vector_size(16)));
    template <class S>
    static S of(std::uint32_t bits) {
        S set;
        set.word[0] = static_cast<std::remove_reference_t<decltype(set.word[0])>>(bits);
        return set;
    }

    Lanes phits_;
    std::uint32_t emptier_;  // of each port's two outputs those with fewest phits, if they have room
    int most_;
};

template <bool usual_settings>
struct Tree {
    static constexpr bool usual = usual_settings;
    static constexpr bool tuned = usual;
    using Settings = netplace::Settings<usual>;
    static constexpr bool by_arithmetic = false;
    static constexpr int name_bits = 6;
    static constexpr bool counts_phits = true;
    static constexpr bool is_table = false, is_tree = true;
    using Router = std::conditional_t<usual, TreeRouter, FlatRouter<Set<std::uint64_t>>>;
    using Packet = netplace::Packet;

    struct Fields {} fields;
    std::vector<Divisor> power;  // of the number of down ports, by stage
    Divisor down, up;

    bool adapts(const Plan& plan) const { return usual || plan.policy == static_cast<int>(Policy::tree_adaptive); }
    bool compares_loads(const Plan& plan) const { return adapts(plan); }
    // The port whose set of inputs holds those that may leave by `port`: up ports share one under `adaptive`.
    int port_of_set(const Plan& plan, int port) const { return adapts(plan) && port < plan.up ? 0 : port; }
    // The outputs by which the inputs may leave that are in the set of `port`.
    Router::S outputs_of_set(const Settings& plan, const Router& r, int port) const {
        const int vcs = plan.channels(), ports = adapts(plan) && port == 0 && r.stage >= 0 ? static_cast<int>(plan.up) : 1;
        return Router::S::range(port * vcs, ports * vcs);
    }
};

template <bool usual, class D>
std::uint32_t route_of(const Tree<usual>&, const D&, std::int32_t, std::int32_t target, Cycle) {
    return static_cast<std::uint32_t>(target);
}

template <bool usual, class D>
bool is_there(const Tree<usual>&, const D&, std::uint32_t router, const Packet& packet) {
    return packet.route == router;
}

template <bool usual, class D>
void go_on(const Tree<usual>&, D&, std::uint32_t, const typename D::Router&, int, Packet&) {}

// The node that created a packet.
template <class D>
std::int32_t origin(const D& d, std::uint32_t label) {
    const Key& key = d.keys[label >> 2];
    if ((label & 3) != reply) return key.source;
    return key.target >= 0 ? key.target : ~key.target;
}

// The only port that a packet may take at a router, or -1 if any port up is as good.
template <bool usual, class D>
int forced_port(const Tree<usual>& tree, const D& d, const typename D::Router& r, const Packet& packet, int vc) {
    if (r.stage < 0) return 0;
    const auto& plan = d.plan;
    const std::uint32_t part = tree.power[r.stage].of(packet.route), above = tree.down.of(part);
    if (above == r.subtree) return static_cast<int>(plan.up + part - above * plan.down);
    if (tree.adapts(plan)) return -1;
    std::uint32_t named = part;
    if (plan.policy == static_cast<int>(Policy::tree_fat))
        named = tree.down.rest(tree.power[r.stage].of(static_cast<std::uint32_t>(origin(d, packet.label))));
    return static_cast<int>(tree.up.rest(named + static_cast<std::uint32_t>(vc)));
}

template <bool usual, class D>
void note_head(const Tree<usual>& tree, D& d, std::uint32_t, typename D::Router& r, int i, const Packet& packet) {
    const int vc = r.stage >= 0 && !tree.adapts(d.plan) ? d.vc_of(i) : 0;
    const int port = std::max(0, forced_port(tree, d, r, packet, vc));
    r.want[port].insert(i);
    r.wanted |= tree.outputs_of_set(d.plan, r, port);
}

// Whether a head waits that could ask for an output.
template <bool usual, class D>
typename D::S waiting_for(const Tree<usual>&, const D&, const typename D::Router& r, int output) {
    return D::S::only(output) & r.wanted;
}

template <bool usual, class D>
void note_grant(const Tree<usual>& tree, D& d, typename D::Router& r, int i, int output) {
    const int port = tree.port_of_set(d.plan, d.port_of(output));
    r.want[port].erase(i);
    r.wanted -= tree.outputs_of_set(d.plan, r, port).where(r.want[port].none());
}

template <bool usual, class D>
void note_grants(const Tree<usual>&, D&, typename D::Router& r, const typename D::S& granted) {
    r.wait -= granted;
}

template <bool usual, class D>
typename D::S may_ask_for(const Tree<usual>& tree, D& d, std::uint32_t, const typename D::Router& r, int i) {
    const int vcs = d.plan.channels();
    typename D::S outputs;
    for (int port = 0; port * vcs < r.fed; ++port)
        if (r.want[tree.port_of_set(d.plan, port)].has(i)) outputs |= D::S::range(port * vcs, vcs);
    return outputs;
}

// The first output that a waiting head may ask for: on its own virtual channel, where it keeps that.
template <bool usual, class D>
int first_choice(const Tree<usual>& tree, D& d, std::uint32_t router, const typename D::Router& r, int i) {
    const int output = may_ask_for(tree, d, router, r, i).lowest();
    return r.stage >= 0 && !tree.adapts(d.plan) ? output + d.vc_of(i) : output;
}

// --- requests -----------------------------------------------------------------------------------------

// `static`: the VC is drawn anew in every cycle until the packet is granted at its node, and then kept.
template <bool usual, class D>
int static_output(const Tree<usual>& tree, D& d, std::uint32_t router, typename D::Router& r, int i, Cycle cycle) {
    const int vcs = d.plan.channels();
    int vc = 0;
    if (r.stage >= 0) {
        vc = d.vc_of(i);
    } else if (vcs > 1) {
        vc = below(d.chance.draw(Purpose::tree_vc, router, i, cycle), vcs);
    }
    const int output = forced_port(tree, d, r, head_of(d, router, r, i), vc) * vcs + vc;
    return r.room.has(output) ? output : -1;
}

// What tells, of some outputs, those with fewest phits beyond; none if they have no room for a packet.
template <class D>
auto fewest_beyond(D& d, const typename D::Router& r, Cycle cycle) {
    const int most = (d.plan.fifo_depth() - 1) * d.plan.packet_phits();
    if constexpr (D::Wiring::usual) {
        return [phits = PhitsBeyond(r, static_cast<std::uint8_t>(cycle), most)](const auto& outputs) { return phits.fewest(outputs); };
    } else {
        return [&r, cycle, most](const typename D::S& outputs) {
            int least = most;
            typename D::S equal;
            outputs.for_each([&](int o) {
                const int load = phits_beyond(r, o, cycle);
                if (load < least) equal = {};
                least = std::min(load, least);
                equal.insert_if(o, load == least);
            });
            return equal;
        };
    }
}

// `adaptive`: of the outputs that lead on, each head draws one of those with most room, anew in each cycle. A lost
// request leaves no trace, so those for outputs that are held are not worked out.
template <bool usual, class D, class Visit>
void visit_adaptive_requests(const Tree<usual>& tree, D& d, std::uint32_t router, typename D::Router& r, Cycle cycle, Visit visit) {
    using S = typename D::S;
    const S available = r.free & r.room;
    S rest = available & r.wanted;
    const auto fewest = fewest_beyond(d, r, cycle);
    while (rest.any()) {
        const int port = tree.port_of_set(d.plan, d.port_of(rest.lowest()));
        const S outputs = tree.outputs_of_set(d.plan, r, port), wanting = r.want[port];
        rest -= outputs;
        const S equal = fewest(outputs), useful = equal & available;
        if (useful.none()) continue;
        if (equal.single()) {
            visit(equal.lowest(), wanting);
            continue;
        }
        const int equals = equal.count();
        S requested;
        wanting.for_each([&](int i) {
            const int output = equal.nth(below(d.chance.draw(Purpose::tree_up, router, i, cycle), equals));
            if (available.has(output)) d.ask(requested, output, i);
        });
        requested.for_each([&](int output) { visit(output, d.asked[output]); });
    }
}

template <bool usual, class D, class Visit>
typename D::S visit_requests(const Tree<usual>& tree, D& d, std::uint32_t router, typename D::Router& r, Cycle cycle, Visit visit) {
    if (tree.adapts(d.plan)) {
        visit_adaptive_requests(tree, d, router, r, cycle, visit);
    } else {
        typename D::S requested;
        r.wait.for_each([&](int i) { d.ask(requested, static_output(tree, d, router, r, i, cycle), i); });
        (requested & r.free).for_each([&](int output) { visit(output, d.asked[output]); });
    }
    return {};
}

template <bool usual, class R>
bool has_requests(const Tree<usual>&, const R& r) {
    return (r.free & r.room & r.wanted).any();
}

template <bool usual, class D>
bool obtainable(const Tree<usual>&, D&, std::uint32_t, const typename D::Router& r, const typename D::S&) {
    return (r.free & r.room & r.wanted).any();
}

}  // namespace netplace
