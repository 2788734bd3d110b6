// Borders between domains, each of which a thread simulates, and the news that domains exchange.
//
// A domain changes only its own state. The effect of an event on a router of another domain is appended to a list, one
// for each pair of domains, and its owner applies it after the next meeting (`take_news` in domain_loop.hpp). Packets
// need no news: a free place in a FIFO belongs to the feeder of the FIFO.
#pragma once

#include <algorithm>
#include <atomic>

#include "records.hpp"

namespace netplace {

// What is told to all at a meeting: the next event, whether a job has ended, whether there is news for a domain, whether
// to go on otherwise.
struct Said {
    Cycle due = never;
    bool ended = false;
    bool told = false;
    bool pause = false;

    void join(const Said& other) {
        due = std::min(due, other.due);
        ended |= other.ended;
        told |= other.told;
        pause |= other.pause;
    }
};

enum class News : std::uint32_t {
    header,     // a header is on its way into a FIFO
    emptying,   // the FIFO beyond an output begins to lose phits
    emptied,    // it is done with that
    no_room,    // it can take no other packet
    room,       // a packet has left it
    try_again,  // a node may create a packet
    spent,      // an entry of an open message is free
    front_gone,  // the head has left the FIFO beyond an output; its owner is told, too
};
inline constexpr int news_bits = 4;  // of a kind of news; what more is told stands above

// What one domain tells another before a meeting: kind and name in turn. There are two, since while one is taken up the
// teller may be at the next phase.
struct alignas(128) Border {
    List words;
};

// The connections of a domain with the others; empty if there is only one.
template <bool cut>
struct Neighbours {
    static constexpr int number = 0, domains = 1;
    int domain_of(std::int64_t) const { return 0; }
};

template <>
struct Neighbours<true> {
    const int number, domains;
    const std::uint8_t* const owner;  // by router
    Border* const borders;            // by parity of the next meeting, teller, taker
    std::uint32_t meetings = 0;
    bool told = false;  // something since the last one, for which others have to act

    int domain_of(std::int64_t router) const { return owner[router]; }
    Border& border(std::uint32_t meeting, int teller, int taker) const {
        return borders[(static_cast<int>(meeting & 1) * domains + teller) * domains + taker];
    }
    void post(int taker, News news, std::uint32_t name, std::uint32_t more = 0) {
        List& words = border(meetings + 1, number, taker).words;
        words.push_back(more << news_bits | static_cast<std::uint32_t>(news));
        words.push_back(name);
    }
    void has_met() {
        ++meetings;
        told = false;
    }
};

// Report an event to the owner of a router if that is another domain; return whether it is.
template <class D>
bool told_owner(D& d, std::uint32_t router, News news, std::uint32_t name) {
    if constexpr (D::is_cut) {
        const int owner = d.domain_of(router);
        if (owner == d.number) return false;
        d.post(owner, news, name);
        d.told = true;
        return true;
    } else {
        return false;
    }
}

// Add to a number to which other domains add in the same phase; return the sum.
template <class D, class Number>
Number add_shared(const D&, Number& number, Number more) {
    if constexpr (D::is_cut) {
        return std::atomic_ref<Number>(number).fetch_add(more, std::memory_order_relaxed) + more;
    } else {
        return number += more;
    }
}

}  // namespace netplace
