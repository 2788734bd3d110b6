// Consumption: packets that have reached their node, messages that they complete, and what becomes due.
//
// A message that becomes due at a node's interface (model: "Rendezvous") is created before what its program sends.
#pragma once

#include "fifos.hpp"

namespace netplace {

// Queue a reply, or data that was asked for, at a node's interface: by cycle, data before replies, then by key.
template <class D>
[[gnu::noinline]] void make_due(D& d, std::int32_t node, std::uint32_t label, Cycle cycle) {
    auto& pool = d.desk.due_messages;
    const std::int32_t entry = pool.take();
    const std::uint64_t order = static_cast<std::uint64_t>(label & 3) << 32 | label >> 2;
    std::int32_t before = -1, at = d.nodes[node].first_due;
    while (at >= 0 && (pool[at].since < cycle || pool[at].order < order)) before = at, at = pool[at].next;
    pool[entry] = {cycle, order, at};
    (before < 0 ? d.nodes[node].first_due : pool[before].next) = entry;
    d.act_now(node);
}

// Remove the first due message of a node's interface and return its label.
template <class D>
std::uint32_t take_due(D& d, Node& node) {
    auto& pool = d.desk.due_messages;
    const std::int32_t entry = node.first_due;
    const std::uint64_t order = pool[entry].order;
    node.first_due = pool[entry].next;
    pool.give(entry);
    return static_cast<std::uint32_t>(order) << 2 | static_cast<std::uint32_t>(order >> 32);
}

// Append a message to those of its node that take turns; `due` is the cycle in which its data become due, or -1.
//
// Data that become due in the same cycle come in the order of their keys.
template <class D>
void take_turns(D& d, Node& node, const Turn& turn) {
    auto& pool = d.desk.turns;
    const std::int32_t entry = pool.take();
    pool[entry] = turn;
    std::int32_t before = node.last_turn;
    if (turn.due >= 0 && before >= 0 && pool[before].due == turn.due && pool[before].label > turn.label) {
        before = -1;
        for (std::int32_t at = node.first_turn; pool[at].due != turn.due || pool[at].label < turn.label; at = pool[at].next)
            before = at;
    }
    std::int32_t& link = before < 0 ? node.first_turn : pool[before].next;
    pool[entry].next = before < 0 ? node.first_turn : pool[before].next;
    link = entry;
    if (pool[entry].next < 0) node.last_turn = entry;
    node.shares = true;
}

// Remove the message whose turn it is from those of a node.
template <class D>
void end_turn(D& d, Node& node) {
    const std::int32_t entry = node.first_turn;
    node.first_turn = d.desk.turns[entry].next;
    d.desk.turns.give(entry);
    node.shares = node.first_turn >= 0;
    if (!node.shares) node.last_turn = -1;
}

// Let the data of a message that was asked for be created.
template <class D>
[[gnu::noinline]] void release(D& d, std::uint32_t key, Cycle cycle) {
    const std::int32_t source = d.keys[key].source;
    if (!d.net.jobs.at[d.keys[key].job]->code->interleaved) {
        make_due(d, source, key << 2 | data, cycle);
        return;
    }
    take_turns(d, d.nodes[source], {cycle, d.keys[key].length, key << 2 | data, -1, false, false});
    d.act_now(source);
}

// Note that a message of a key begins in `cycle`.
template <class D>
void open_message(D& d, Key& key, Cycle cycle) {
    if (d.plan.record) {
        d.net.jobs.at[key.job]->message_start[key.newest++] = cycle;
        return;
    }
    auto& pool = d.desk.open_messages;
    const std::int32_t entry = pool.take();
    pool[entry] = {cycle, -1};
    (key.newest < 0 ? key.oldest : pool[key.newest].next) = entry;
    key.newest = entry;
}

// Return the entry of an open message to the domain of the node that sent it.
template <class D>
void give_back(D& d, std::int32_t source, std::int32_t entry) {
    if constexpr (D::is_cut) {
        if (d.domain_of(source) != d.number) {
            d.post(d.domain_of(source), News::spent, static_cast<std::uint32_t>(entry));
            return;
        }
    }
    d.desk.open_messages.give(entry);
}

// Close the oldest open message of a key, whose last tail was consumed in the cycle before.
template <class D>
[[gnu::noinline]] void complete(D& d, Key& key, Cycle cycle) {
    key.to_go = key.length;
    Cycle began = 0;
    if (d.plan.record) {
        Job& job = *d.net.jobs.at[key.job];
        job.message_end[key.oldest] = cycle - 1;
        began = job.message_start[key.oldest++];
    } else {  // entries are of the node that sends, and nobody takes one in this phase
        auto& pool = d.desk_of(key.source).open_messages;
        const std::int32_t entry = key.oldest;
        began = pool[entry].start;
        key.oldest = pool[entry].next;
        if (key.oldest < 0) key.newest = -1;
        give_back(d, key.source, entry);
    }
    d.desk.message_delays.add(cycle - 1 - began);
}

// Count a packet whose tail was consumed in the cycle before `cycle`, and wake tasks that waited for it.
template <class D>
void deliver(D& d, const Packet& packet, Cycle cycle) {
    ++d.delivered;
    d.desk.last_delivery = cycle - 1;
    d.desk.packet_delays.add(cycle - 1 - packet.birth);
    const std::uint32_t number = packet.label >> 2;
    Key& key = d.keys[number];
    add_shared(d, key.flying, std::int64_t{-1});
    if (key.target < 0) return;
    const std::int32_t node = key.target;
    if constexpr (D::is_cut) {
        if (d.domain_of((packet.label & 3) == reply ? key.source : node) != d.number)
            throw std::logic_error("a packet came to a node that it was not for");
    }
    switch (packet.label & 3) {
        case data:
            ++key.have;
            if (--key.to_go == 0) complete(d, key, cycle);
            if (d.nodes[node].waits == static_cast<std::int32_t>(number) && key.have >= key.length) d.act_now(node);
            break;
        case request:
            if (++key.unmet <= 0) make_due(d, node, number << 2 | reply, cycle);
            break;
        default: release(d, number, cycle);
    }
}

}  // namespace netplace
