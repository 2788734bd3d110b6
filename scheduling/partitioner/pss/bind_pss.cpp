#include <algorithm>

#include "netplace/arrays.hpp"
#include "scheduling/partitioner/pss/sets.hpp"

namespace netplace::scheduling {
namespace {

using nb::arg;
using Numbers = Array<const std::int64_t>;
using Flags = Array<const bool>;

LaminarTree tree_of(Numbers parent, Numbers worth, Numbers number, Numbers place, Numbers kin, Numbers kin_starts,
                    Flags free) {
    const auto vertices = static_cast<std::int64_t>(parent.size()), nodes = static_cast<std::int64_t>(free.size());
    const auto sets = vertices - nodes - 1;
    need(sets >= 0 && worth.size() == parent.size(), "parent, worth: of the nodes, the sets and the machine");
    for (std::int64_t v = 0; v + 1 < vertices; ++v) {
        need(parent(v) >= nodes && parent(v) > v && parent(v) < vertices, "parent: a set that comes later");
    }
    need(parent(vertices - 1) == -1, "parent: none of the machine");
    for (const auto& array : {number, place, kin}) {
        need(static_cast<std::int64_t>(array.size()) == sets, "number, place, kin: one for each set");
        need_indices(flat(array), sets, "number, place, kin");
    }
    std::vector<bool> met(sets);
    for (std::int64_t i = 0; i < sets; ++i) {
        need(place(number(i)) == i, "place: by number, what number has by place");
        met[kin(i)] = true;
    }
    need(std::find(met.begin(), met.end(), false) == met.end(), "kin: every set once");
    need(static_cast<std::int64_t>(kin_starts.size()) == sets + 2 && kin_starts(0) == 0 && kin_starts(sets + 1) == sets &&
             std::is_sorted(kin_starts.data(), kin_starts.data() + kin_starts.size()), "kin_starts: of all sets");
    for (std::int64_t i = 0; i <= sets; ++i) {
        for (auto at = kin_starts(i); at < kin_starts(i + 1); ++at) {
            need(parent(nodes + kin(at)) == nodes + i, "kin: those right below");
        }
    }
    return {flat(parent), flat(worth), flat(number), flat(place), flat(kin), flat(kin_starts)};
}

nb::object flags(const std::vector<bool>& values) {
    std::vector<std::uint8_t> bytes(values.begin(), values.end());
    return nb::cast(made(std::move(bytes))).attr("view")("bool");
}

nb::object least(Numbers parent, Numbers worth, Numbers number, Numbers place, Numbers kin, Numbers kin_starts, Flags free,
                 std::int64_t size) {
    const auto tree = tree_of(parent, worth, number, place, kin, kin_starts, free);
    need(size >= 0 && size <= std::count(free.data(), free.data() + free.size(), true), "size: no more than are free");
    return flags(least_below(tree, flat(free), size));
}

nb::object kept(Numbers parent, Numbers worth, Numbers number, Numbers place, Numbers kin, Numbers kin_starts, Flags free,
                std::int64_t size) {
    const auto tree = tree_of(parent, worth, number, place, kin, kin_starts, free);
    need(size >= 0 && size <= std::count(free.data(), free.data() + free.size(), true), "size: no more than are free");
    return flags(kept_on_tree(tree, flat(free), size));
}

Lists lists_of(Numbers starts, Numbers values, std::int64_t below, const char* what) {
    need_lists(flat(starts), flat(values), values.size(), below, what);
    return {flat(starts), flat(values)};
}

Sets sets_of_arrays(Numbers starts, Numbers values, Numbers of_starts, Numbers of_values,
                    Array<const std::int64_t, 2> worth) {
    const auto sets = static_cast<std::int64_t>(starts.size()) - 1, nodes = static_cast<std::int64_t>(of_starts.size()) - 1;
    const auto members = lists_of(starts, values, nodes, "members: nodes of each set");
    const auto around = lists_of(of_starts, of_values, sets, "sets_of: sets of each node");
    need(static_cast<std::int64_t>(worth.shape(0)) == sets && worth.shape(1) >= 1, "worth: a row for each set");
    for (std::int64_t node = 0; node < nodes; ++node) {
        for (const auto set : around[node]) {
            const auto mine = members[set];
            need(std::binary_search(mine.begin(), mine.end(), node), "sets_of: sets that hold the node, sorted");
        }
    }
    need(values.size() == of_values.size(), "sets_of: all sets of each node");
    return {members, around, flat(worth), static_cast<std::int64_t>(worth.shape(1))};
}

Made<std::int64_t> chosen(Numbers starts, Numbers values, Numbers of_starts, Numbers of_values,
                          Array<const std::int64_t, 2> worth, std::int64_t size, std::int64_t coin) {
    const auto sets = sets_of_arrays(starts, values, of_starts, of_values, worth);
    need(size >= 0 && size < sets.nodes(), "size: less than are free");
    return made(select(sets, size, coin));
}

Made<std::int64_t> cut_to(Numbers starts, Numbers values, Numbers of_starts, Numbers of_values,
                          Array<const std::int64_t, 2> worth, Flags kept, std::int64_t size) {
    const auto sets = sets_of_arrays(starts, values, of_starts, of_values, worth);
    need(static_cast<std::int64_t>(kept.size()) == sets.nodes() && size >= 0, "kept: a flag for each node");
    return made(cut(sets, std::vector<bool>(kept.data(), kept.data() + kept.size()), size));
}

}  // namespace

void bind_pss(nb::module_& module) {
    module.def("least_below", &least, arg("parent"), arg("worth"), arg("number"), arg("place"), arg("kin"),
               arg("kin_starts"), arg("free"), arg("size"));
    module.def("kept_on_tree", &kept, arg("parent"), arg("worth"), arg("number"), arg("place"), arg("kin"),
               arg("kin_starts"), arg("free"), arg("size"));
    module.def("select", &chosen, arg("starts"), arg("values"), arg("of_starts"), arg("of_values"), arg("worth"),
               arg("size"), arg("coin"));
    module.def("cut", &cut_to, arg("starts"), arg("values"), arg("of_starts"), arg("of_values"), arg("worth"),
               arg("kept"), arg("size"));
}

}  // namespace netplace::scheduling
