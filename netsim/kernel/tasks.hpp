// Tasks (model: "Tasks"): what a node does in a cycle.
//
// A node creates at most one packet a cycle. Its task first passes all that takes no time; then one packet is created:
// of the message under way, else of what is due at the interface (rendezvous), else of the send at the head, else of the
// message whose turn it is.
#pragma once

#include "injection.hpp"
#include "messages.hpp"
#include "sources.hpp"

namespace netplace {

// End a node's task with `cycle`, the last in which it did something.
template <class D>
void finish(D& d, Node& node, Cycle cycle) {
    Job& job = *d.net.jobs.at[node.job];
    d.quiet = cycle + 1;
    job.task_end[node.task] = cycle + 1;
    job.task_lost[node.task] = node.lost;
    node.waits = -1;
    node.job = -1;
    if (add_shared(d, job.running, -1) == 0) {
        job.end = cycle + 1;
        d.desk.ended = true;
    }
}

// Post a non-blocking send that takes turns, unless too many are outstanding; tell whether it was posted.
template <class D>
bool post_send(D& d, Node& node, std::int32_t key, bool asks) {
    const std::int64_t length = d.keys[key].length, most = d.plan.outstanding_packets;
    if (d.plan.outstanding > 0 && node.outstanding >= d.plan.outstanding) return false;
    if (most > 0 && node.outstanding > 0 && node.outstanding_packets + length > most) return false;
    ++node.outstanding;
    node.outstanding_packets += length;
    const auto label = static_cast<std::uint32_t>(key) << 2 | (asks ? request : data);
    take_turns(d, node, {-1, asks ? 1 : length, label, -1, !asks, false});
    return true;
}

// Let a task pass all that takes no time; tell whether it stands at a send.
template <class D>
bool advance(D& d, std::int32_t number, Node& node, Cycle cycle) {
    node.waits = -1;
    while (node.pc < node.stop) {
        const std::int64_t word = node.program[node.pc], value = word >> kind_bits;
        const int kind = static_cast<int>(word & ((1 << kind_bits) - 1));
        if (kind == op_send || kind == op_ask) return true;
        if (kind == op_compute || kind == op_compute_last) {
            const bool last = kind == op_compute_last;  // it ends the task without another cycle
            ++node.pc;
            if (last && value <= 1) break;
            if (!last) d.quiet = cycle + 1;
            node.busy_until = cycle + value - last;
            d.set_timer(cycle, node.busy_until, number, 0);
            return false;
        }
        if (kind == op_loop) {
            node.lapped = cycle;
            if (node.rounds > 0) {
                --node.rounds;
                node.pc -= static_cast<std::int32_t>(value);
            } else {
                ++node.pc;
            }
            continue;
        }
        const std::int32_t its = node.first_key + static_cast<std::int32_t>(value & ((1 << key_bits) - 1));
        Key& key = d.keys[its];
        if (kind == op_over || kind == op_handed_over) {
            (kind == op_over ? key.done : key.handed) -= static_cast<std::int32_t>(value >> key_bits);
            ++node.pc;
            continue;
        }
        if (kind == op_recv) {
            if (key.have < key.length) {
                node.waits = its;
                return false;
            }
            key.have -= key.length;
        } else if (kind == op_post) {
            if (--key.unmet >= 0) make_due(d, number, static_cast<std::uint32_t>(its) << 2 | reply, cycle);
        } else if (kind == op_begin || kind == op_begin_asking) {
            if (!post_send(d, node, its, kind == op_begin_asking)) return false;
        } else if ((kind == op_handed ? key.handed : key.done) < value >> key_bits) {  // op_sent, op_sent_last as well
            node.waits = its;
            return false;
        }
        d.quiet = cycle + 1;
        ++node.pc;
    }
    node.pc = node.stop;
    finish(d, node, cycle);
    return false;
}

// Choose the next message to create packets of; tell whether there is one.
template <class D>
bool begin_message(D& d, Node& node, bool sending) {
    if (node.first_due >= 0) {
        node.under = take_due(d, node);
        node.own = false;
    } else if (sending) {
        const std::int64_t word = node.program[node.pc];
        const bool asks = (word & ((1 << kind_bits) - 1)) == op_ask;
        const auto key = static_cast<std::uint32_t>(node.first_key + (word >> kind_bits));
        node.under = key << 2 | (asks ? request : data);
        node.own = true;
    } else {
        return false;
    }
    node.left = (node.under & 3) == data ? d.keys[node.under >> 2].length : 1;
    return true;
}

// End a task whose last thing, a blocking send by rendezvous, is over as the last packet of a key's message was created.
template <class D>
void pass_last(D& d, Node& node, const Key& key, Cycle cycle) {
    const std::int64_t word = node.program[node.pc];
    const bool last = (word & ((1 << kind_bits) - 1)) == op_sent_last;
    if (last && key.done >= word >> (kind_bits + key_bits)) finish(d, node, cycle);
}

// Let a node create the next packet of its message, or wait at once if it would only find its injectors full next cycle.
template <class D>
void create_next_or_wait(D& d, std::int32_t number, Node& node, Cycle cycle) {
    if (node.own && node.next_draw < 0 && injectors_are_full(d, number, node.under)) {
        node.blocked = true;
        node.since = cycle + 1;
    } else {
        d.act_next(number);
    }
}

// Create the next packet of the message under way, and see to what follows it.
template <class D>
void create(D& d, std::int32_t number, Node& node, bool sending, Cycle cycle) {
    const std::uint32_t label = node.under, kind = label & 3;
    Key& key = d.keys[label >> 2];
    const std::int32_t target = kind == reply ? key.source : key.target;
    const bool opening = node.own && (kind == request || node.left == key.length);
    if (!handed_over(d, number, target, label, cycle)) {
        if (sending && node.since < 0) node.since = cycle;
        if (opening) node.left = 0;  // not begun after all: what becomes due at the interface goes first
        return;
    }
    if (node.since >= 0) {
        node.lost += cycle - node.since;
        node.since = -1;
    }
    --node.left;
    if (opening) open_message(d, key, cycle);
    if (node.left > 0) {
        create_next_or_wait(d, number, node, cycle);
        return;
    }
    if (node.own) {
        if (kind == request && d.net.jobs.at[node.job]->code->interleaved) {  // its data will take turns
            ++node.outstanding;
            node.outstanding_packets += key.length;
        }
        if (++node.pc == node.stop) finish(d, node, cycle);
    } else if (kind == data) {
        ++key.done;
        if (node.waits == static_cast<std::int32_t>(label >> 2)) pass_last(d, node, key, cycle);
    }
    if (node.job >= 0 || node.first_due >= 0 || node.shares) d.act_next(number);
}

// Create a packet of the message whose turn it is.
template <class D>
void create_in_turn(D& d, std::int32_t number, Node& node, Cycle cycle) {
    Turn turn = d.desk.turns[node.first_turn];
    Key& key = d.keys[turn.label >> 2];
    if (!handed_over(d, number, key.target, turn.label, cycle)) return;
    const bool is_data = (turn.label & 3) == data;
    if (!turn.begun && (turn.eager || !is_data)) open_message(d, key, cycle);
    end_turn(d, node);
    if (--turn.left > 0) {
        turn.due = -1, turn.begun = true;
        take_turns(d, node, turn);
    } else if (is_data) {
        ++(turn.eager ? key.handed : key.done);
        --node.outstanding;
        node.outstanding_packets -= key.length;
        if (node.waits == static_cast<std::int32_t>(turn.label >> 2)) pass_last(d, node, key, cycle);
    }
    if (node.shares || node.job >= 0 || node.first_due >= 0) d.act_next(number);
}

// Do all that a node does in the first step of `cycle`.
template <class D>
[[gnu::noinline]] void act(D& d, std::int32_t number, Cycle cycle) {
    Node& node = d.nodes[number];
    const bool under_way = node.left > 0;
    bool sending = under_way && node.own;
    if (node.job >= 0 && cycle >= node.busy_until && !sending) {
        if (cycle == node.busy_until) d.quiet = std::max(d.quiet, cycle);
        sending = advance(d, number, node, cycle);
    }
    bool creating = under_way || begin_message(d, node, sending);
    if (creating) {
        create(d, number, node, sending, cycle);
    } else if (node.shares) {
        creating = true;
        create_in_turn(d, number, node, cycle);
    }
    if (node.next_draw >= 0) act_source(d, number, node, creating, cycle);
}

}  // namespace netplace
