"""Published studies carried out anew. A new one is a file with a `STUDY`, and a line in `STUDIES`."""

from __future__ import annotations

from netplace.experiments.studies import (
    allocators,
    break_even,
    break_even_live,
    first_fit,
    local_backfilling,
    mesh_2d_or_3d,
    pareto,
    partition_metrics,
    partition_selection,
    placement_effects,
    power,
    quasi_contiguity,
    quasi_contiguous_scheduling,
    redirection,
    selection_by_makespan,
    shared_machine,
    td_vs_classic,
    two_kinds,
)
from netplace.experiments.studies.study import Study

__all__ = ["STUDIES"]

STUDIES: dict[str, Study] = {
    "allocators": allocators.STUDY,
    "first-fit": first_fit.STUDY,
    "placement-effects": placement_effects.STUDY,
    "partition-metrics": partition_metrics.STUDY,
    "quasi-contiguity": quasi_contiguity.STUDY,
    "mesh-2d-or-3d": mesh_2d_or_3d.STUDY,
    "partition-selection": partition_selection.STUDY,
    "selection-by-makespan": selection_by_makespan.STUDY,
    "non-contiguous-break-even": break_even.STUDY,
    "quasi-contiguous": quasi_contiguous_scheduling.STUDY,
    "td-vs-classic": td_vs_classic.STUDY,
    "local-backfilling": local_backfilling.STUDY,
    "redirection": redirection.STUDY,
    "two-kinds": two_kinds.STUDY,
    "power": power.STUDY,
    "shared-machine": shared_machine.STUDY,
    "break-even-live": break_even_live.STUDY,
    "pareto": pareto.STUDY,
}
