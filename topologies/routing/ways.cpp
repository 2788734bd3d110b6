#include <algorithm>
#include <bit>

#include "topologies/routing/tables.hpp"

namespace netplace::topologies {
namespace {

using Channel = std::int32_t;
constexpr std::int32_t unseen = -2, many = -1;  // of origins

// How a packet in a channel goes on: in its phase, from its intermediate switch in a phase with levels of its own, or
// diverted to an intermediate switch. With the port, this determines the next channel.
enum Change { onward, second, diverted, changes };

// Packets at a switch that request their next channel.
struct Head {
    std::int64_t at, level, kind, phase;
};

struct Missing {
    std::int64_t at, target;
};

void merge(std::int32_t& origin, std::int64_t other) {
    origin = origin == unseen || origin == other ? static_cast<std::int32_t>(other) : many;
}

class Ways {
public:
    explicit Ways(const Routing& routing)
        : r_(routing), links_(routing.links), number_(links_.neighbor.size(), -1), row_((changes * links_.ports + 63) / 64) {
        for (std::int64_t at = 0; at < links_.switches; ++at) {
            for (std::int64_t port = 0; port < links_.ports; ++port) {
                if (links_.end(at, port) < 0) continue;
                number_[at * links_.ports + port] = static_cast<std::int64_t>(place_.size());
                place_.push_back(at * links_.ports + port);
            }
        }
        channels_ = static_cast<std::int64_t>(place_.size()) * 2 * r_.levels;
        seen_.resize(channels_);
        origin_.resize(channels_, unseen);
        next_.resize(channels_ * row_);
    }

    const std::vector<Channel>& reached() const { return reached_; }
    std::int32_t origin(Channel channel) const { return origin_[channel]; }
    std::int64_t channels() const { return channels_; }
    std::int64_t begin(Channel channel) const { return place(channel) / links_.ports; }
    std::int64_t end(Channel channel) const { return links_.neighbor[place(channel)]; }

    Head head(Channel channel, Change change) const {
        const auto at = place(channel);
        const auto level = channel % r_.levels + r_.step[at], phase = channel / r_.levels & 1;
        if (change == second) return {end(channel), 0, -1, 1};
        if (change == diverted) return {end(channel), level + !r_.anew, r_.kind[at], 0};
        return {end(channel), level, r_.kind[at], phase};
    }

    // Lets packets from an origin request the channels to a target, perhaps from a channel.
    void request(const Head& head, std::int64_t target, std::int64_t origin, Channel from = -1, Change change = onward) {
        if (head.at == target) return;
        bool lost = true;
        for (const auto port : r_.table.entry(head.at, target)) {
            if (port < 0) continue;
            lost = false;
            const auto channel = beyond(head, port);
            if (channel < 0) throw Missing{head.at, target};
            seen_[channel] = true;
            if (from >= 0) note(from, change, port);
            auto& now = origin_[channel];
            const auto before = now;
            merge(now, origin);
            if (before == unseen) reached_.push_back(channel);
            if (before != now) todo_.push_back(channel);
        }
        if (lost) throw Missing{head.at, target};
    }

    // Follows the packets that have requested channels, from those for which `on` holds.
    template <class On>
    void spread(std::int64_t target, const On& on) {
        while (!todo_.empty()) {
            const auto channel = todo_.back();
            todo_.pop_back();
            if (on(channel)) request(head(channel, onward), target, origin_[channel], channel);
        }
    }

    void spread(std::int64_t target) {
        spread(target, [](Channel) { return true; });
    }

    void clear() {
        for (const auto channel : reached_) origin_[channel] = unseen;
        reached_.clear();
    }

    // Records that a channel waits for the one behind a port of its end.
    void note(Channel from, Change change, std::int64_t port) {
        const auto bit = change * links_.ports + port;
        next_[from * row_ + bit / 64] |= std::uint64_t{1} << bit % 64;
    }

    Waits found() {
        Waits found;
        std::vector<Channel> row;
        std::fill(origin_.begin(), origin_.end(), 0);  // from here on, the number of channels that wait for each
        for (Channel channel = 0; channel < channels_; ++channel) {
            if (!seen_[channel]) continue;
            found.used.push_back(channel);
            row.clear();
            for (std::int64_t word = 0; word < row_; ++word) {
                for (auto set = next_[channel * row_ + word]; set; set &= set - 1) {
                    const auto bit = word * 64 + std::countr_zero(set);
                    const auto change = static_cast<Change>(bit / links_.ports);
                    row.push_back(beyond(head(channel, change), bit % links_.ports));
                }
            }
            std::sort(row.begin(), row.end());
            row.erase(std::unique(row.begin(), row.end()), row.end());
            for (const auto other : row) {
                found.waits.push_back(channel * channels_ + other);
                ++origin_[other];
            }
        }
        found.circular = circular(found);
        return found;
    }

private:
    std::int64_t place(Channel channel) const { return place_[channel / r_.levels / 2]; }

    // Returns the channel of packets that leave by a port; -1 above the highest level, which only a table with a cycle
    // can reach.
    Channel beyond(const Head& head, std::int64_t port) const {
        const auto at = head.at * links_.ports + port;
        const bool again = r_.anew && head.kind >= 0 && head.kind != r_.kind[at];
        const auto level = again ? 0 : head.level;
        if (level >= r_.levels) return -1;
        return static_cast<Channel>((2 * number_[at] + head.phase) * r_.levels + level);
    }

    // Removes channels for which none waits, again and again: those in a ring, and behind one, remain.
    bool circular(const Waits& found) {
        std::vector<Channel> free;
        for (const auto channel : found.used) {
            if (!origin_[channel]) free.push_back(static_cast<Channel>(channel));
        }
        std::size_t removed = 0;
        for (; !free.empty(); ++removed) {
            const auto first = free.back() * channels_;
            free.pop_back();
            auto wait = std::lower_bound(found.waits.begin(), found.waits.end(), first);
            for (; wait != found.waits.end() && *wait < first + channels_; ++wait) {
                const auto other = static_cast<Channel>(*wait - first);
                if (!--origin_[other]) free.push_back(other);
            }
        }
        return removed < found.used.size();
    }

    const Routing& r_;
    const Links& links_;
    std::vector<std::int64_t> number_, place_;  // number of the link behind each port, and the reverse
    std::int64_t row_, channels_;
    std::vector<char> seen_;
    std::vector<std::uint64_t> next_;    // bits of a channel, in `row_` words: changes and ports by which packets go on
    std::vector<std::int32_t> origin_;   // of the packets for the current target in each channel
    std::vector<Channel> reached_, todo_;  // channels of packets for the current target
};

// The choice of intermediate switches.
class Drawn {
public:
    Drawn(const Routing& routing, const Detours& detours)
        : count_(routing.links.switches), d_(detours), by_via_(count_), own_(count_), is_end_(count_) {
        one_row_ = static_cast<std::int64_t>(d_.via.size()) == d_.width;
        for (std::int64_t row = 0; row < (one_row_ ? 1 : count_); ++row) {
            for (const auto via : d_.via.subspan(row * d_.width, d_.width)) {
                if (one_row_ || via == row) own_[via] = true;
                if (!one_row_ && differ(row, via)) by_via_[via].push_back(static_cast<std::int32_t>(row));
            }
        }
        for (const auto end : routing.ends) is_end_[end] = true;
    }

    // Whether an intermediate switch is neither a switch nor of its place.
    bool differ(std::int64_t at, std::int64_t via) const {
        return via != at && (d_.place[via] != d_.place[at] || d_.place[at] < 0);
    }

    // Calls `use` for the switches at which an intermediate one can be drawn.
    template <class Use>
    void each(std::int64_t via, const Use& use) const {
        for (const auto at : by_via_[via]) use(at);
        for (std::int64_t at = 0; one_row_ && own_[via] && at < count_; ++at) {
            if (differ(at, via)) use(at);
        }
    }

    bool own(std::int64_t at) const { return own_[at]; }  // whether a switch is an intermediate one of its own
    bool is_end(std::int64_t at) const { return is_end_[at]; }

private:
    std::int64_t count_;
    const Detours& d_;
    bool one_row_;
    std::vector<std::vector<std::int32_t>> by_via_;
    std::vector<char> own_, is_end_;
};

// Packets that reach an intermediate switch by channels from which they go on alike.
struct Arrivals {
    Channel channel;  // one of them
    std::int32_t origin;
};

class DetourWays {
public:
    DetourWays(const Routing& routing, const Detours& detours)
        : r_(routing), d_(detours), count_(routing.links.switches), drawn_(routing, detours), ways_(routing) {}

    Waits found() {
        if (d_.par) find_diverted();
        for (std::int64_t via = 0; via < count_; ++via) follow_aside(via);
        for (const auto home : r_.ends) follow_home(home);
        return ways_.found();
    }

private:
    // Finds the channels behind which packets of PAR choose again, and the place of their homes.
    void find_diverted() {
        std::vector<std::int32_t> place(ways_.channels(), unseen);
        const auto inside = [&](Channel channel) { return d_.group[ways_.begin(channel)] == d_.group[ways_.end(channel)]; };
        for (const auto home : r_.ends) {
            for (const auto source : r_.ends) {
                if (d_.group[source] != d_.group[home]) ways_.request({source, 0, -1, r_.anew}, home, many);
            }
            ways_.spread(home, inside);
            for (const auto channel : ways_.reached()) {
                if (inside(channel)) merge(place[channel], d_.place[home]);
            }
            ways_.clear();
        }
        diverted_.resize(count_);
        for (Channel channel = 0; channel < ways_.channels(); ++channel) {
            if (place[channel] != unseen) diverted_[ways_.end(channel)].push_back({channel, place[channel]});
        }
    }

    // Follows packets to an intermediate switch.
    void follow_aside(std::int64_t via) {
        const auto beyond = std::count_if(r_.ends.begin(), r_.ends.end(), [&](auto home) { return drawn_.differ(via, home); });
        const bool goes_on = beyond > 1;  // one is the source's own
        drawn_.each(via, [&](std::int64_t at) {
            if (goes_on && drawn_.is_end(at)) ways_.request({at, 0, -1, 0}, via, at);
            if (!d_.par) return;
            for (const auto& [channel, place] : diverted_[at]) {
                if (place != many && place == d_.place[via]) continue;
                ways_.request(ways_.head(channel, diverted), via, count_ + d_.group[at], channel, diverted);
            }
        });
        ways_.spread(via);
        arrive(via);
        ways_.clear();
    }

    // Records by which ports packets go on from an intermediate switch, and their arrivals.
    void arrive(std::int64_t via) {
        const auto change = r_.anew ? second : onward;
        const auto first = arrivals_.size();
        std::vector<std::int64_t> homes(r_.links.ports);  // number to which each port leads
        const auto count = [&](std::vector<std::int64_t>& of, std::int64_t home, int by) {
            if (!drawn_.differ(via, home)) return;
            for (const auto port : r_.table.entry(via, home)) {
                if (port >= 0) of[port] += by;
            }
        };
        bool counted = false;
        for (const auto channel : ways_.reached()) {
            if (ways_.end(channel) != via) continue;
            if (!counted) {
                for (const auto home : r_.ends) count(homes, home, 1);
                counted = true;
            }
            const auto origin = ways_.origin(channel);
            auto open = homes;
            if (origin >= 0 && origin < count_) {
                if (drawn_.is_end(origin)) count(open, origin, -1);
            } else if (origin != many) {
                for (const auto home : r_.ends) {
                    if (closed(origin, home)) count(open, home, -1);
                }
            }
            for (std::int64_t port = 0; port < r_.links.ports; ++port) {
                if (open[port]) ways_.note(channel, change, port);
            }
            const auto level = ways_.head(channel, change).level;
            const auto alike = std::find_if(arrivals_.begin() + first, arrivals_.end(), [&](const Arrivals& other) {
                return ways_.head(other.channel, change).level == level;
            });
            if (alike == arrivals_.end()) arrivals_.push_back({channel, origin});
            else merge(alike->origin, origin);
        }
    }

    // Whether a home is the source of packets, or in the group in which they were diverted.
    bool closed(std::int32_t origin, std::int64_t home) const {
        return home == origin || (!d_.group.empty() && count_ + d_.group[home] == origin);
    }

    // Follows packets home, directly or from intermediate switches.
    void follow_home(std::int64_t home) {
        std::vector<char> direct(count_, !d_.valiant);  // with Valiant routing, only if one of the ends is drawn
        if (d_.valiant) drawn_.each(home, [&](std::int64_t at) { direct[at] = true; });
        for (const auto source : r_.ends) {
            if (direct[source] || drawn_.own(source)) ways_.request({source, 0, -1, r_.anew}, home, many);
        }
        for (const auto& [channel, origin] : arrivals_) {
            if (drawn_.differ(ways_.end(channel), home) && !closed(origin, home)) {
                ways_.request(ways_.head(channel, r_.anew ? second : onward), home, many);
            }
        }
        ways_.spread(home);
        ways_.clear();
    }

    const Routing& r_;
    const Detours& d_;
    const std::int64_t count_;
    Drawn drawn_;
    Ways ways_;
    std::vector<Arrivals> arrivals_;
    struct Diverted {
        Channel channel;
        std::int32_t place;  // of their homes; `many` stands for several, or none
    };
    std::vector<std::vector<Diverted>> diverted_;  // by the switch where they choose again
};

template <class Follow>
Waits unless_missing(const Follow& follow) {
    try {
        return follow();
    } catch (const Missing& missing) {
        Waits none;
        none.missing = {missing.at, missing.target};
        return none;
    }
}

}  // namespace

Waits follow_table(const Routing& routing, std::span<const std::int64_t> sources, std::span<const std::int16_t> leads) {
    return unless_missing([&] {
        Ways ways(routing);
        for (const auto home : routing.ends) {
            for (const auto source : sources) {
                if (leads[source * routing.links.switches + home] >= 0) ways.request({source, 0, -1, 0}, home, many);
            }
            ways.spread(home);
            ways.clear();
        }
        return ways.found();
    });
}

Waits follow_detours(const Routing& routing, const Detours& detours) {
    return unless_missing([&] { return DetourWays(routing, detours).found(); });
}

}  // namespace netplace::topologies
