"""A site's rules beyond backfilling: queues, priorities, windows, failures, dependencies, predictions.

Examples
--------
>>> from netplace.scheduling import Job
>>> from netplace.scheduling.site_rules import Site, Window, run_site
>>> from netplace.topologies import parse
>>> jobs = [Job(1, 0, 4, 10, 10), Job(2, 1, 2, 20, 20), Job(3, 2, 2, 5, 5)]
>>> rules = Site(windows=(Window("cooling", begin=20, end=30),))
>>> run_site(parse("mesh:4"), jobs, rules).schedule.start.tolist()
[0.0, 30.0, 10.0]
"""

from netplace.scheduling.site_rules.run import SiteRun, check_dependencies, run_site
from netplace.scheduling.site_rules.settings import (
    BACKFILLS,
    ORDERS,
    Failures,
    JobQueue,
    Outage,
    Site,
    Window,
    read_outages,
)

__all__ = [
    "BACKFILLS",
    "ORDERS",
    "Failures",
    "JobQueue",
    "Outage",
    "Site",
    "SiteRun",
    "Window",
    "check_dependencies",
    "read_outages",
    "run_site",
]
