// Constants of a run: settings of the network, as Python passes them.
#pragma once

#include <cstdint>

namespace netplace {

enum class Policy : int { smart, shortest, random, oblivious, tree_adaptive, tree_fat, tree_thin, table };
enum class Arbiter : int { round_robin, first_come, longest, random, age };
enum class Choice : int { table, valiant, ugal_l, ugal_g, par };
enum class Spread : int { least, destination, flow };

struct Plan {
    // objects (model: "Objects")
    std::int64_t phits = 16;      // of a packet
    std::int64_t queue = 4;       // packets in a FIFO
    std::int64_t buffer = 4;      // packets in an injector's buffer
    std::int64_t injectors = 1;   // of a node, over all traffic classes
    std::int64_t vcs = 2;         // of a link, over all traffic classes
    std::int64_t ports = 0;       // of a router at most
    std::int64_t nodes = 0;
    std::int64_t routers = 0;
    std::int64_t hop = 1;         // cycles from a header's departure to its first request (grids and trees)
    std::int64_t single = 0;      // consumption is `single`
    std::int64_t policy = 0;
    std::int64_t arbiter = 0;
    std::int64_t bubble = 2;
    std::int64_t seed = 0;
    std::int64_t record = 0;      // whether the start and end of each message are kept
    std::int64_t rendezvous = 0;  // whether messages may go by rendezvous
    std::int64_t outstanding = 0;          // messages that take turns at a node at most; 0: any number
    std::int64_t outstanding_packets = 0;  // and packets in them
    std::int64_t explain = 0;     // whether waiting is charged to jobs
    std::int64_t domains = 1;     // into which the network is cut, each simulated by a thread
    std::int64_t dawdle = 0;      // in tests: threads lose time by chance

    // grids
    std::int64_t dims = 0;
    std::int64_t twist = 0;

    // trees
    std::int64_t down = 0;
    std::int64_t up = 0;
    std::int64_t stages = 0;

    // networks of any wiring
    std::int64_t first_switch = 0;
    std::int64_t switches = 0;
    std::int64_t compute_from = 0;  // first switch that is a compute node of several tasks
    std::int64_t plane = 0;         // switches of a plane
    std::int64_t most = 0;          // ports that lead on in an entry of the table; that of escape comes after
    std::int64_t base = 0;          // levels below those of a packet that heads for its destination
    std::int64_t anew = 0;          // the level is 0 in another class of links
    std::int64_t escapes = 0;       // there is an escape channel
    std::int64_t choice = 0;
    std::int64_t threshold = 0;
    std::int64_t spread = 0;
    std::int64_t via_row = 0;       // words of a row of `via`; 0: one row for all
    std::int64_t via_count = 0;
    std::int64_t injected = 0;      // cycles from a packet's creation to its first request

    // fabrics
    std::int64_t fabric = 0;        // any of these is set
    std::int64_t crossbar = 0;      // packets that may leave an input port at a time; 0: any number
    std::int64_t classes = 1;       // traffic classes
    std::int64_t ordered = 0;       // packets of a flow keep their order
    std::int64_t window = 0;        // packets that a node may have under way to another; 0: any number
    std::int64_t ack = 0;           // cycles until it knows that one has come, or of its mark
    std::int64_t rate = 0;          // at which it creates them at most, in `line_rate`; 0: any
    std::int64_t marks = 0;         // packets in a FIFO from which on heads are marked; 0: none is
    std::int64_t every = 0;         // cycles between notifications of a pair
    std::int64_t timer = 0;         // cycles without one after which its rate goes up
    std::int64_t gain = 1;          // 1/g of alpha
    std::int64_t increase = 0;      // what the target goes up by

    // Whether FIFOs, links and consumption are as by default, and waiting is not explained.
    bool is_usual() const;
    // Whether the settings that are constants of `PlainPlan` have its values, and waiting is not explained.
    bool is_plain() const;
    // Whether it differs from another only in the routing.
    bool has_routing_of(const Plan& other) const;
    bool operator==(const Plan&) const = default;

    // Visit all settings with their names.
    template <class Visit>
    void for_each(Visit visit) {
        visit("phits", phits), visit("queue", queue), visit("buffer", buffer), visit("injectors", injectors);
        visit("vcs", vcs), visit("ports", ports), visit("nodes", nodes), visit("routers", routers);
        visit("hop", hop), visit("single", single), visit("policy", policy), visit("arbiter", arbiter);
        visit("bubble", bubble), visit("seed", seed), visit("record", record);
        visit("outstanding", outstanding), visit("outstanding_packets", outstanding_packets);
        visit("rendezvous", rendezvous), visit("explain", explain), visit("domains", domains), visit("dawdle", dawdle);
        visit("dims", dims), visit("twist", twist);
        visit("down", down), visit("up", up), visit("stages", stages);
        visit("first_switch", first_switch), visit("switches", switches), visit("compute_from", compute_from);
        visit("plane", plane), visit("most", most), visit("base", base), visit("anew", anew);
        visit("escapes", escapes), visit("choice", choice), visit("threshold", threshold);
        visit("spread", spread), visit("via_row", via_row), visit("via_count", via_count);
        visit("injected", injected), visit("fabric", fabric), visit("crossbar", crossbar);
        visit("classes", classes), visit("ordered", ordered), visit("window", window), visit("ack", ack);
        visit("rate", rate), visit("marks", marks), visit("every", every), visit("timer", timer);
        visit("gain", gain), visit("increase", increase);
    }
};

// A network of any wiring whose FIFOs and arbiters are as by default, without a fabric: these settings are constants.
struct PlainPlan : Plan {
    static constexpr std::int64_t phits = 16, queue = 4, buffer = 4, injectors = 1, single = 0, arbiter = 0;
    static constexpr std::int64_t fabric = 0, crossbar = 0, classes = 1, ordered = 0, window = 0, ack = 0, rate = 0, marks = 0;
};

// The settings as the router reads them: constants where the network is a usual one.
template <bool usual, class Read = Plan>
struct Settings : Read {
    int packet_phits() const { return usual ? 16 : static_cast<int>(this->phits); }
    int fifo_depth() const { return usual ? 4 : static_cast<int>(this->queue); }
    int buffer_depth() const { return usual ? 4 : static_cast<int>(this->buffer); }
    int channels() const { return usual ? 2 : static_cast<int>(this->vcs); }
    int injectors_of_node() const { return usual ? 1 : static_cast<int>(this->injectors); }
    int hop_cycles() const { return usual ? 1 : static_cast<int>(this->hop); }
    bool consumes_one() const { return !usual && this->single != 0; }
    int ring_bubble() const { return usual ? 2 : static_cast<int>(this->bubble); }
    Arbiter arbiter_kind() const { return usual ? Arbiter::round_robin : static_cast<Arbiter>(this->arbiter); }
};

}  // namespace netplace
