// The bindings of each experiment that has compiled parts.
#pragma once

#include <nanobind/nanobind.h>

namespace netplace::experiments {

void bind_first_fit(nanobind::module_& module);
void bind_local_backfilling(nanobind::module_& module);

}  // namespace netplace::experiments
