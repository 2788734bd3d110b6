// Networks of any wiring, made from their description.
#include "engine_of.hpp"

namespace netplace {
namespace {

template <class To>
std::vector<To> narrowed(const std::vector<std::int32_t>& wide) {
    return {wide.begin(), wide.end()};
}

}  // namespace

template <int words, bool plain>
void read_routing(Table<words, plain>& table, const Description& description) {
    const Plan& plan = description.plan;
    const std::int64_t switches = plan.switches, most = (std::int64_t{1} << 31) - 1;
    const std::int64_t pairs = switches * switches, entry = plan.most + plan.escapes;
    table.ports = narrowed<typename Table<words, plain>::Port>(description.array("table", pairs * entry, -1, plan.ports - 1));
    const auto choice = static_cast<Choice>(plan.choice);
    if (choice == Choice::ugal_l || choice == Choice::par)
        table.far_hops = narrowed<std::uint16_t>(description.array("far_hops", pairs, -1, 1 << 15));
    table.end = description.array("end", switches * plan.ports, -1, switches - 1);
    table.low = description.array("low", -1, 0, plan.vcs);
    table.high = description.array("high", static_cast<std::int64_t>(table.low.size()), 0, plan.vcs);
    table.one_level = table.low.size() == 1;
    table.home = description.array("home", plan.nodes, -1, switches - 1);
    table.gate = description.array("gate", plan.nodes, -1, switches - 1);
    table.node_port = description.array("node_port", plan.nodes, -1, plan.ports - 1);
    table.place = description.array("place", switches, -1, switches - 1);
    table.kin = description.array("kin", switches, -1, most);
    table.stride = description.array("stride", switches, 1, most);
    table.via = description.array("via", -1, -1, switches - 1);
    if (static_cast<std::int64_t>(table.via.size()) < std::max(plan.via_row * switches, plan.via_count))
        throw std::invalid_argument("network: intermediate switches are missing");
}

namespace {

template <int words, bool plain>
std::unique_ptr<AnyNetwork> make(const Description& description) {
    const Plan& plan = description.plan;
    Table<words, plain> table;
    read_routing(table, description);
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
    if (plan.marks > 0) table.marked.assign(static_cast<std::size_t>(Layout(description).first_slot.back()), 0);
    return std::make_unique<NetworkOf<Table<words, plain>>>(description, std::move(table));
}

}  // namespace

std::unique_ptr<AnyNetwork> make_table(const Description& description) {
    const Plan& plan = description.plan;
    if (plan.first_switch < 0 || plan.first_switch + plan.switches != plan.routers || plan.compute_from < 0 ||
        plan.compute_from > plan.switches || plan.plane < 1)
        throw std::invalid_argument("network: switches are not the last routers");
    const std::int64_t inputs = plan.ports * plan.vcs + plan.injectors;
    if (inputs <= 63 && plan.is_plain()) return make<1, true>(description);
    if (inputs <= 63) return make<1, false>(description);
    if (inputs <= 127) return make<2, false>(description);
    if (inputs <= 1023) return make<16, false>(description);
    throw std::invalid_argument("network: a router has 1023 inputs at most");
}

}  // namespace netplace
