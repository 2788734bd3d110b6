// What is left of nested sets while some are removed, with tables of what a further removal saves.
//
// A remnant is a set without some of those inside it: its nodes that are left, what they save when all of them go, and a
// table of the removals inside it: of each number of nodes the one that saves most, of equal ones that of the set of
// least number. A remnant is never changed. A removal makes new ones of the sets around it, each from the tables of those
// right inside, and shares all others with the state before.
//
// Sets that hold no other, right inside the same set and with as many free nodes, are one remnant, a row: only the
// dearest, of equal ones that of least number, can be the best removal.
#pragma once

#include "scheduling/partitioner/pss/laminar.hpp"

namespace netplace::scheduling {

struct Removal {
    std::int64_t nodes, saved, number;  // and the number of its set
};

// Remnants right inside another, or the outermost: parts `begin` to before `end`.
struct Parts {
    std::int64_t begin = 0, end = 0;
};

struct Remnant {
    std::int64_t name;         // the set by whose place it is known: itself, or the first of its row
    std::int64_t left, saves;  // nodes, and what they save
    std::int64_t begin, end;   // its parts; of a row what it is without its best set, or -1, and -1
    std::int64_t table, table_end;
};

class Remnants {
public:
    Remnants(const LaminarTree& tree, std::span<const bool> free);

    // The outermost remnants before any removal.
    Parts outermost() const { return outermost_; }
    // Removes a set, the best of its row, where the outermost remnants are these; returns where they are then.
    Parts without(std::int64_t removed, Parts outermost);
    // Calls `visit` with every removal of the tables of these remnants.
    template <class Visit>
    void each_removal(Parts parts, Visit visit) const {
        for (auto place = parts.begin; place < parts.end; ++place) {
            const auto& remnant = made_[parts_[place]];
            for (auto i = remnant.table; i < remnant.table_end; ++i) visit(table_[i]);
        }
    }

private:
    struct Set {
        std::int64_t above, worth, number;
        std::int64_t own = 0;  // free nodes in no smaller set
        std::int64_t row = 0;  // the set by which its row is known, or itself
    };
    struct Around {
        std::int64_t set, remnant;
        Parts parts;  // between which its remnant is
    };

    std::int32_t make_row(std::int64_t index, std::int64_t rest);
    std::int32_t make(std::int64_t index, Parts parts);

    std::vector<Set> sets_;  // by size, and the machine
    std::vector<Remnant> made_;
    std::vector<Removal> table_;
    std::vector<std::int32_t> parts_;
    std::vector<std::int64_t> at_;  // where the removal of so many nodes stands in the table that is being made
    std::vector<Around> path_;
    Parts outermost_;
};

}  // namespace netplace::scheduling
