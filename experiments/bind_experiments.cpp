#include "experiments/bind_experiments.hpp"

void bind_experiments(nanobind::module_& module) {
    netplace::experiments::bind_first_fit(module);
    netplace::experiments::bind_local_backfilling(module);
}
