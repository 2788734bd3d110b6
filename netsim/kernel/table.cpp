// Networks of any wiring, made from their description.
#include "engine_of.hpp"

namespace netplace {
namespace {

template <class To>
std::vector<To> narrowed(const std::vector<std::int32_t>& wide) {
    return {wide.begin(), wide.end()};
}

}  // namespace

namespace {

// Check that ways by first ports end, at their target or where no port leads on: `whole_way` follows them.
template <int words, bool plain>
void need_ends(const Table<words, plain>& table, const Plan& plan) {
    for (std::int64_t target = 0; target < plan.switches; ++target) {
        std::vector<std::int64_t> walk_of(static_cast<std::size_t>(plan.switches), -1);
        for (std::int64_t from = 0; from < plan.switches; ++from) {
            std::int64_t x = from;
            for (; x >= 0 && x != target && walk_of[x] < 0; x = table.next(plan, x, target)) walk_of[x] = from;
            if (x >= 0 && x != target && walk_of[x] == from) throw std::invalid_argument("network: a way goes round in a circle");
        }
    }
}

}  // namespace

template <int words, bool plain>
void read_routing(Table<words, plain>& table, const Description& description, const Layout& layout) {
    const Plan& plan = description.plan;
    const std::int64_t switches = plan.switches, most = (std::int64_t{1} << 31) - 1;
    const std::int64_t pairs = switches * switches, entry = plan.most + plan.escapes;
    const auto wrong = [](const char* what) { throw std::invalid_argument(std::string("network: ") + what); };
    if (plan.most < 1) wrong("an entry of the table has no port");
    const auto choice = static_cast<Choice>(plan.choice);
    using Port = typename Table<words, plain>::Port;
    if (description.arrays.contains("size")) {  // ways are computed
        table.size = description.array("size", plan.ports / 2, -most, most);
        table.coordinate = description.array("coordinate", switches * (plan.ports / 2), 0, most);
        const bool flat = std::count(table.size.begin(), table.size.end(), 0) > 0;
        if (entry != 1 || choice != Choice::table || flat) wrong("ways are chosen without a table");
        table.ports.resize(plan.ports + 1, Port{-1});
        std::iota(table.ports.begin(), table.ports.end() - 1, Port{0});
    } else {
        const bool is_tree = description.arrays.contains("below");
        table.ports = narrowed<Port>(description.array("table", is_tree ? -1 : pairs * entry, -1, plan.ports - 1));
        if (is_tree) {  // ways are computed
            if (plan.escapes || choice != Choice::table) wrong("ways are chosen without a table");
            const auto& below = description.array("below", 4 * switches, 0, most);
            for (auto its = below.begin(); its != below.end(); its += 4) table.below.push_back({its[0], its[1], std::max(its[2], 1), its[3]});
        }
        const auto rows = static_cast<std::int64_t>(table.ports.size()) / entry;
        for (std::int64_t x = 0; x < switches; ++x) {
            const std::int64_t first = is_tree ? table.below[x].first_row : x * switches, count = is_tree ? table.below[x].rows() : switches;
            if (first + count > rows) wrong("an entry of the table is missing");
            const auto its = table.ports.begin() + first * entry;
            const std::int64_t ports = layout.ports[plan.first_switch + x];
            if (std::any_of(its, its + count * entry, [&](auto port) { return port >= ports; })) wrong("a way leads by no port");
        }
    }
    if (choice == Choice::ugal_l || choice == Choice::par)
        table.far_hops = narrowed<std::uint16_t>(description.array("far_hops", pairs, -1, 1 << 15));
    table.end = description.array("end", switches * plan.ports, -1, switches - 1);
    if (choice == Choice::ugal_g) need_ends(table, plan);
    const std::int64_t own = table.own_vcs(plan);
    table.low = description.array("low", -1, 0, own);
    table.high = description.array("high", static_cast<std::int64_t>(table.low.size()), 0, own);
    table.one_level = table.low.size() == 1;
    if (table.low.empty()) wrong("there is no level");
    for (std::size_t level = 0; level < table.low.size(); ++level)
        if (table.low[level] > table.high[level]) wrong("a level has fewer virtual channels than none");
    table.low.resize(std::max(table.low.size(), most_levels), table.low.back());
    table.high.resize(table.low.size(), table.high.back());
    table.home = description.array("home", plan.nodes, -1, switches - 1);
    table.gate = description.array("gate", plan.nodes, -1, switches - 1);
    table.node_port = description.array("node_port", plan.nodes, -1, plan.ports - 1);
    const std::int64_t last_plane = plan.plane == plan.compute_from ? 0 : std::max<std::int64_t>(plan.compute_from - 1, 0) / plan.plane * plan.plane;
    for (std::int64_t node = 0; node < plan.nodes; ++node) {
        const std::int64_t home = table.home[node], port = table.node_port[node];
        if (home < 0) continue;  // it is cut off
        const bool has_gate = table.gate[node] >= 0 || home >= plan.compute_from;  // a compute node may be cut off
        if (!has_gate || table.gate[node] + last_plane >= switches) wrong("a node has no switch in a plane");
        if (plan.first_switch + home != node && (port < 0 || port >= layout.ports[plan.first_switch + home]))
            wrong("a node hangs at no port");
    }
    table.place = description.array("place", switches, -1, switches - 1);
    table.kin = description.array("kin", switches, -1, most);
    table.stride = description.array("stride", switches, 1, most);
    table.via = description.array("via", -1, -1, switches - 1);
    const bool one_row = plan.via_row == 0;
    if ((!one_row && plan.via_row < plan.via_count) ||
        static_cast<std::int64_t>(table.via.size()) < (one_row ? plan.via_count : plan.via_row * switches))
        wrong("intermediate switches are missing");
    for (std::int32_t place : table.place)
        if (place >= plan.via_count) wrong("a switch is not among the intermediate ones");
}

namespace {

template <int words, bool plain>
std::unique_ptr<AnyNetwork> make(const Description& description) {
    const Plan& plan = description.plan;
    const Layout layout(description);
    Table<words, plain> table;
    read_routing(table, description, layout);
    const auto pairs = static_cast<std::size_t>(plan.nodes * plan.nodes);
    const auto schedule = description.arrays.find("schedule");
    if (schedule != description.arrays.end())
        table.schedule = narrowed<std::uint8_t>(description.array("schedule", -1, 0, plan.classes - 1));
    if (plan.ordered) table.flow.assign(pairs * static_cast<std::size_t>(plan.classes), 0);
    if (plan.window > 0) table.under_way.assign(pairs, 0);
    if (plan.rate > 0) {
        table.pace.assign(pairs, {});
        table.wake.assign(static_cast<std::size_t>(plan.nodes), 0);
    }
    if (plan.marks > 0) table.marked.assign(static_cast<std::size_t>(layout.first_slot.back()), 0);
    return std::make_unique<NetworkOf<Table<words, plain>>>(description, std::move(table));
}

}  // namespace

std::unique_ptr<AnyNetwork> make_table(const Description& description) {
    const Plan& plan = description.plan;
    if (plan.first_switch + plan.switches != plan.routers || plan.compute_from < 0 ||
        plan.compute_from > plan.switches || plan.plane < 1)
        throw std::invalid_argument("network: switches are not the last routers");
    const std::int64_t inputs = plan.ports * plan.vcs + plan.injectors;
    if (inputs <= 63 && plan.is_plain()) return make<1, true>(description);
    if (inputs <= 63) return make<1, false>(description);
    if (inputs <= 127 && !plan.explain) return make<2, false>(description);
    if (inputs <= 1023) return make<16, false>(description);
    throw std::invalid_argument("network: a router has 1023 inputs at most");
}

}  // namespace netplace
