// Routers (model: "Objects"): everything from which a router decides is contiguous.
#pragma once

#include <algorithm>
#include <type_traits>

#include "records.hpp"

namespace netplace {

// Sets of a router's inputs and outputs, on any network.
template <class S>
struct RouterSets {
    S wait;  // inputs whose head waits for a grant
    S free;  // outputs that no packet holds
    S room;  // outputs whose FIFO downstream has room for a packet
    S held;  // outputs granted that wait for their link
    S idle;  // outputs whose link no packet crosses
};

// The same for FIFOs of four packets, with the outputs by the known number of packets in the FIFO downstream.
template <class S>
struct RankedSets : RouterSets<S> {
    S emptier[3];  // it holds no packet; one at most; two at most

    void fill(int output, int from) {
        emptier[std::min(from, 2)].erase(output);
        this->room -= S::only(output).where(from == 3);
    }
    void drain(int output, int to) {
        emptier[std::min(to, 2)].insert_if(output, to < 3);
        this->room.insert(output);
    }
};

// A router of a mesh or torus with the usual settings: two VCs, one injector. Its record is whole cache lines of
// 64 bytes, of which the first holds what most events touch: in three dimensions two lines, 124 bytes used.
template <int dims>
struct alignas(64) GridRouter : RouterSets<Set<std::conditional_t<dims <= 3, std::uint16_t, std::uint32_t>>> {
    using S = Set<std::conditional_t<dims <= 3, std::uint16_t, std::uint32_t>>;
    static constexpr int ports = 2 * dims, fed = 2 * ports;

    S leaving;                // inputs whose head is leaving phit by phit
    S bubble;                 // outputs whose own FIFO here has the bubble
    S want[ports];            // inputs whose head gets closer through this port (and may have left since)
    S next[dims];             // inputs that try their alternative k + 1 next, the last one being escape
    NarrowFifo fifo[fed + 1];
    std::uint32_t time;       // cycle, modulo 2^32, up to which the memories of alternatives are accounted for
    NarrowLink link[ports];
    NarrowOutput output[fed];
};
static_assert(sizeof(GridRouter<2>) == 128 && sizeof(GridRouter<3>) == 128);

// A router, or node, of a tree with the usual settings and at most 8 ports: four cache lines.
struct alignas(64) TreeRouter : RouterSets<Set<std::uint16_t>> {
    using S = Set<std::uint16_t>;
    static constexpr int ports = 8;

    S leaving;
    S wanted;                 // outputs that some head could ask for
    S want[ports];            // inputs that may leave by this port; those that may take any port up at port 0
    std::uint32_t place;      // first place for its packets
    std::uint16_t fed;        // inputs fed by links
    std::int8_t stage;        // 0: leaf switch; -1: node
    std::uint32_t subtree;    // number of the subtree below
    NarrowFifo fifo[2 * ports + 1];
    NarrowOutput output[2 * ports];
    std::uint8_t load[2 * ports];  // phits in the FIFO beyond each output, less cycle * slope; modulo 2^8
    std::int8_t slope[2 * ports];  // 1: that FIFO fills, -1: it empties, 0: neither or both
    NarrowLink link[ports];
    std::uint32_t slot[ports];      // first place for packets of the FIFO of VC 0 beyond
};
static_assert(sizeof(TreeRouter) == 256);

// A router of any network with any settings; parts that depend on its ports are in arrays of the network.
template <class Bits, template <class> class Sets = RouterSets>
struct alignas(64) FlatRouter : Sets<Bits> {
    using S = Bits;

    // About two cache lines hold what most events touch.
    S wanted;                // trees and tables: outputs that some head could ask for
    Near<Fifo> fifo;         // by input
    Near<Output> output;     // by output
    Near<Link> link;         // by port
    Near<Feed> feed;         // by port
    Near<S> may;             // table: by input, the outputs that its head may ask for
    std::uint32_t place;     // first place for its packets
    std::uint16_t fed;       // inputs fed by links
    std::uint16_t timed;     // first input whose times are kept
    std::int8_t stage;       // trees; -1: node
    bool consuming;          // `single` consumption is held
    S leaving, bubble;       // grids and trees, as above
    S homing;                // inputs whose head waits for `single` consumption
    Near<S> want;            // grids and trees: by port
    Near<S> next;            // grids: by dimension
    Near<std::int16_t> last_resort;  // table: by input, that of `may` on the escape channel; -1: none
    Near<std::uint32_t> load;  // by output
    Near<std::int32_t> slope;
    Near<Times> times;       // by input, of those that are `timed`
    Near<std::int64_t> freed;  // fabric: by port, cycle after that in which it was last in use; the last: consumption
    Near<std::uint16_t> class_turn;  // fabric: by port and class, the VC that is served next
    Near<std::int16_t> leaving_by;   // fabric: by port, then injector: packets that leave it for links
    std::uint32_t time;
    std::uint32_t subtree;   // trees
    std::uint16_t turn_home;  // arbiter of consumption
    std::uint16_t schedule_home;  // fabric: pointer of the schedule of consumption
};

}  // namespace netplace
