"""Run times that come from files: their names."""

BEST_KNOWN = "best-known"  # in the place of a mapping: the one that is fastest in a table
# Beside `netplace.scheduling.times.RUN_TIMES`: name, example, one line for people.
FILE_TIMES = {
    "table": (
        "table:times.csv",
        "run times of programs from a run-time table or a store; see --simulate",
    ),
}
