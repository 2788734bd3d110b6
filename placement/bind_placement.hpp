// The bindings of each folder of placement that has compiled parts.
#pragma once

#include <nanobind/nanobind.h>

namespace netplace::placement {

void bind_mapping(nanobind::module_& module);
void bind_qap(nanobind::module_& module);

}  // namespace netplace::placement
