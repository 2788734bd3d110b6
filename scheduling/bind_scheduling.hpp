// The bindings of each folder of scheduling that has compiled parts.
#pragma once

#include <nanobind/nanobind.h>

namespace netplace::scheduling {

void bind_centres(nanobind::module_& module);
void bind_partitioner(nanobind::module_& module);
void bind_pss(nanobind::module_& module);

}  // namespace netplace::scheduling
