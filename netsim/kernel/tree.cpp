// Networks that are trees, made from their description.
#include "engine_of.hpp"

namespace netplace {
namespace {

template <bool usual>
std::unique_ptr<AnyNetwork> make(const Description& description) {
    const Plan& plan = description.plan;
    Tree<usual> tree;
    std::uint64_t power = 1;
    for (std::int64_t stage = 0; stage <= plan.stages; ++stage, power *= static_cast<std::uint64_t>(plan.down)) {
        if (power >> 31) throw std::invalid_argument("network: a tree has too many nodes");
        tree.power.emplace_back(static_cast<std::uint32_t>(power));
    }
    tree.down = Divisor(static_cast<std::uint32_t>(plan.down));
    tree.up = Divisor(static_cast<std::uint32_t>(plan.up));
    const auto& stage = description.array("stage", plan.routers, -1, plan.stages - 1);
    const auto& subtree = description.array("subtree", plan.routers, 0, plan.routers);
    for (std::int64_t n = 0; n < plan.nodes; ++n)
        if (stage[n] >= 0) throw std::invalid_argument("network: nodes of a tree come before its switches");
    auto network = std::make_unique<NetworkOf<Tree<usual>>>(description, std::move(tree));
    network->for_each_router([&](std::size_t n, auto& r) {
        r.stage = static_cast<std::int8_t>(stage[n]);
        r.subtree = static_cast<std::uint32_t>(subtree[n]);
    });
    return network;
}

}  // namespace

std::unique_ptr<AnyNetwork> make_tree(const Description& description) {
    const Plan& plan = description.plan;
    if (plan.down < 1 || plan.up < 1 || plan.up > plan.down || plan.stages < 1 || plan.stages > 31 ||
        plan.ports < plan.up + plan.down)
        throw std::invalid_argument("network: a tree has not such ports");
    if (plan.ports * plan.vcs > 62 || plan.vcs + plan.injectors > 62)
        throw std::invalid_argument("network: a router of a tree has 62 inputs at most");
    if (plan.policy < static_cast<int>(Policy::tree_adaptive) || plan.policy > static_cast<int>(Policy::tree_thin))
        throw std::invalid_argument("network: a tree has no such routing");
    const auto& ports = description.array("ports_of", plan.routers, 1, plan.ports);
    for (std::int64_t n = plan.nodes; n < plan.routers; ++n)
        if (ports[n] < plan.up + plan.down) throw std::invalid_argument("network: a switch of a tree lacks ports");
    if (plan.is_usual() && plan.policy == static_cast<int>(Policy::tree_adaptive) && plan.ports <= TreeRouter::ports)
        return make<true>(description);
    return make<false>(description);
}

}  // namespace netplace
