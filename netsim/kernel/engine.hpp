// A network as Python sees it: made from a plain description, run piece by piece, and read.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "job_host.hpp"
#include "loop.hpp"

namespace netplace {

// A network in plain arrays: settings, wiring, tables. Everything is checked before the network is built.
struct Description {
    Plan plan;
    std::map<std::string, std::vector<std::int32_t>> arrays;

    // Return an array of so many numbers, all from `low` to `high`; throw std::invalid_argument otherwise.
    const std::vector<std::int32_t>& array(const char* name, std::int64_t size, std::int64_t low, std::int64_t high) const;
    void check() const;
};

struct Totals {
    std::int64_t created = 0, delivered = 0, gone = 0, events = 0;
    std::int64_t packet_delay = 0, message_delay = 0;
    Cycle last_delivery = -1;
    std::vector<std::int64_t> packet_delays, message_delays;
};

struct BlockedFifo {
    std::uint32_t router;
    int input, packets;
    std::vector<std::pair<std::uint32_t, int>> wants;  // (router, input) of the FIFOs that its head could ask for
};

// Waiting times of heads.
struct Waited {
    std::vector<std::int64_t> by_job;   // jobs x jobs charged, open-loop traffic the last
    std::vector<std::int64_t> by_link;  // routers x (ports + 1) x 2: charged to the job that waited, and to others
    Cycle waited = 0;
};

// Effects of a fault on packets.
struct Losses {
    std::int64_t lost = 0, again = 0;  // packets lost, and packets that will be sent again
    std::set<std::uint32_t> keys;      // of those lost
};

class AnyNetwork {
public:
    virtual ~AnyNetwork() = default;

    virtual Hosts& hosts() = 0;
    virtual const Plan& plan() const = 0;
    virtual Exit run(Cycle until) = 0;
    virtual Totals totals() const = 0;
    virtual void reset_totals() = 0;
    virtual std::vector<std::int64_t> link_packets() const = 0;   // routers x ports
    virtual std::vector<std::int64_t> still_crossing() const = 0;  // cycles that the packet on each link still takes
    virtual std::vector<BlockedFifo> blocked() = 0;
    // Where waiting is explained: what there was; what one job waited from now on, by routers x (ports + 1), for each
    // job charged: open-loop traffic is -1, all jobs that are told together -2.
    virtual Waited waiting() = 0;
    virtual void watch(std::int64_t job) = 0;
    virtual std::map<std::int64_t, std::vector<std::int64_t>> watched() = 0;
    // Faults before cycle `now`, on networks of any wiring. `fail`: parts go down, by the arrays `dead` (routers), `down`
    // (routers x ports) and `hops` (switches x switches on what remains, -1: none) and the routing from now on; packets on
    // links that go down are lost or sent again. `pace`: links have other `cycles` and `delay` for what is yet to cross.
    virtual Losses fail(const Description& routing, bool again) = 0;
    virtual void pace(const Description& links) = 0;
    // Pointers of arbiters by output, of consumption by node (or router), and of links.
    virtual std::vector<std::vector<std::int16_t>> pointers() const = 0;
    virtual void set_pointers(const std::vector<std::vector<std::int16_t>>& pointers) = 0;

    HostingRules rules() const { return {plan().record != 0, plan().classes}; }
};

// Build the network of a description with the fastest router that supports it.
std::unique_ptr<AnyNetwork> make_network(const Description& description);
std::unique_ptr<AnyNetwork> make_grid(const Description& description);
std::unique_ptr<AnyNetwork> make_tree(const Description& description);
std::unique_ptr<AnyNetwork> make_table(const Description& description);

}  // namespace netplace
