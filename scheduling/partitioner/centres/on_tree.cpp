// The centre whose nearest free nodes lie closest together on a tree, from counts of its subtrees.
//
// The least subtree around a centre that has enough free nodes is made up of parts, the subtrees one level below. All
// free nodes of the centre's own part are nearer to it than those of the others, which are all equally far: so the
// nodes are those of its own part and, of the others, those of least number. They hang on the part alone. Two nodes
// have two links less between them for every level at which one subtree holds both, so the sum over pairs is least
// where most pairs are together, counted at every level. The choice is that of best_centre.
#include "scheduling/partitioner/centres/searches.hpp"

namespace netplace::scheduling {
namespace {

struct Subtrees {
    Nodes first;  // where each level begins, the nodes first, and the end
    std::int64_t down;
    std::vector<std::int64_t> counts;  // free nodes of every subtree, and
    std::vector<std::int64_t> pairs;   // pairs of them that are together, at its own level and below
};

void count(Subtrees& tree, Nodes free) {
    auto& [first, down, counts, pairs] = tree;
    for (const auto node : free) counts[node] = 1;
    std::int64_t part = 0;
    for (auto subtree = first[1]; subtree < first.back(); ++subtree) {  // its parts follow on those of the one before
        for (std::int64_t i = 0; i < down; ++i, ++part) {
            counts[subtree] += counts[part];
            pairs[subtree] += pairs[part];
        }
        pairs[subtree] += counts[subtree] * (counts[subtree] - 1) / 2;
    }
}

// The pairs together below a subtree, of its first free nodes outside one of its parts.
std::int64_t first_pairs(const Subtrees& tree, std::int64_t level, std::int64_t subtree, std::int64_t without,
                         std::int64_t wanted) {
    std::int64_t total = 0;
    while (wanted > 0) {
        --level;
        auto part = tree.first[level] + subtree * tree.down;
        for (; wanted > 0 && (part == without || tree.counts[part] <= wanted); ++part) {
            if (part != without) {
                total += tree.pairs[part];
                wanted -= tree.counts[part];
            }
        }
        total += wanted * (wanted - 1) / 2;  // in the part that is not needed as a whole
        subtree = part - tree.first[level];
    }
    return total;
}

}  // namespace

std::int64_t best_on_tree(Nodes first, std::int64_t down, Nodes free, Nodes centres, std::int64_t size) {
    const auto subtrees = static_cast<std::size_t>(first.back());
    Subtrees tree{first, down, std::vector<std::int64_t>(subtrees), std::vector<std::int64_t>(subtrees)};
    count(tree, free);
    std::int64_t best = -1, best_at = -1, tried = 0;
    for (const auto centre : centres) {
        if (centre < tried) continue;  // in the same part as the one before
        std::int64_t level = 0, part = centre, width = 1;
        while (tree.counts[first[level + 1] + part / down] < size) {
            ++level;
            part /= down;
            width *= down;
        }
        tried = (part + 1) * width;
        const auto own = first[level] + part;
        const auto levels_above = static_cast<std::int64_t>(first.size()) - 2 - level;  // where all are together
        const auto cost = tree.pairs[own] + levels_above * (size * (size - 1) / 2) +
                          first_pairs(tree, level + 1, part / down, own, size - tree.counts[own]);
        if (cost > best) {
            best = cost;
            best_at = centre;
        }
    }
    return best_at;
}

}  // namespace netplace::scheduling
