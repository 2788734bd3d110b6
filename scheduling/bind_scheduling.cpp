#include "scheduling/bind_scheduling.hpp"

void bind_scheduling(nanobind::module_& module) {
    netplace::scheduling::bind_centres(module);
    netplace::scheduling::bind_partitioner(module);
    netplace::scheduling::bind_pss(module);
}
