// Whether domains are simulated side by side, each by a thread, or in turn by one: whichever has been faster of late.
//
// Threads that wait for cores which other programs use can take a hundred times as long as one that does all the work.
// So the run is cut into stints: a short one of each kind, then a long one of the faster kind, and so on.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace netplace {

class Stints {
public:
    bool in_turn() const { return in_turn_; }
    // Go on with the stint, of which nothing or some part is over, after so many events in all.
    void begin(std::int64_t events) {
        began_ = looked_ = Clock::now();
        events_ = events;
    }
    // Whether it is over: asked once a cycle.
    bool is_over() {
        if (skip_ > 0) {
            --skip_;
            return false;
        }
        const auto now = Clock::now();
        if (now - looked_ < std::chrono::microseconds(20)) skip_ = 15;  // the clock costs something, too
        looked_ = now;
        return spent_ + (now - began_) >= length_;
    }
    // The run has ended, or the stint: then settle what comes next.
    void end(std::int64_t events) {
        spent_ += Clock::now() - began_;
        done_ += events - events_;
        if (spent_ < length_) return;
        const double rate = static_cast<double>(done_) / std::chrono::duration<double>(spent_).count();
        if (trying_) {
            const bool better = rate > best_rate_;
            if (!better) in_turn_ = !in_turn_;
            length_ = long_ = better ? first_long : std::min(2 * long_, most_long);
        } else {
            best_rate_ = rate;
            in_turn_ = !in_turn_;
            length_ = std::max(brief, long_ / 25);  // the system needs some time to find a core for a thread
        }
        trying_ = !trying_;
        spent_ = {};
        done_ = 0;
    }

private:
    using Clock = std::chrono::steady_clock;
    static constexpr Clock::duration brief = std::chrono::milliseconds(2), first_long = std::chrono::milliseconds(20),
                                     most_long = std::chrono::seconds(2);

    bool in_turn_ = false;
    bool trying_ = false;   // the kind that was the slower one
    double best_rate_ = 0;  // events a second in the stint before, of the other kind
    Clock::duration length_ = brief, long_ = first_long, spent_{};
    std::int64_t done_ = 0, events_ = 0;
    Clock::time_point began_, looked_;
    int skip_ = 0;
};

}  // namespace netplace
