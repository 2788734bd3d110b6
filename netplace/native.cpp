// The extension module netplace._native: a submodule for each layer that has compiled parts.
#include <nanobind/nanobind.h>

void bind_apps(nanobind::module_& module);
void bind_experiments(nanobind::module_& module);
void bind_netsim(nanobind::module_& module);
void bind_placement(nanobind::module_& module);
void bind_scheduling(nanobind::module_& module);
void bind_topologies(nanobind::module_& module);

NB_MODULE(_native, module) {
    module.doc() = "The compiled part of netplace.";
    module.def("version", [] { return NETPLACE_VERSION; }, "Return the version of netplace that this was built with.");
    auto topologies = module.def_submodule("topologies", "Compiled parts of netplace.topologies.");
    bind_topologies(topologies);
    auto apps = module.def_submodule("apps", "Compiled parts of netplace.apps.");
    bind_apps(apps);
    auto netsim = module.def_submodule("netsim", "Compiled parts of netplace.netsim.");
    bind_netsim(netsim);
    auto placement = module.def_submodule("placement", "Compiled parts of netplace.placement.");
    bind_placement(placement);
    auto scheduling = module.def_submodule("scheduling", "Compiled parts of netplace.scheduling.");
    bind_scheduling(scheduling);
    auto experiments = module.def_submodule("experiments", "Compiled parts of netplace.experiments.");
    bind_experiments(experiments);
}
