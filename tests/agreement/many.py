"""Thousands of random stories told by both engines; the seed and the number of cases are said.

Run with ``python tests/agreement/many.py --seed 1 --cases 200``: so many cases of each kind of story, on
grids and trees and on networks of any wiring. With ``--threads`` the kernel tells each on one thread and on
several; with ``--dawdle`` beside it these lose time by chance. The first case in which the engines differ
ends the run.
"""

import argparse
import sys
from pathlib import Path

from hypothesis import HealthCheck, given, seed, settings

from netplace.netsim import threads
from netplace.topologies import TOPOLOGIES


def said(text: str) -> None:
    """Show a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> None:
    """Tell the stories."""
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
    import test_agreement
    import test_threads_agree
    import test_wirings_agree
    from wirings import RANDOM

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=200, help="of each kind of story")
    parser.add_argument("--kinds", default="", help="only kinds of stories whose name holds this")
    parser.add_argument("--threads", action="store_true", help="one thread beside several, not two engines")
    parser.add_argument("--dawdle", action="store_true", help="with --threads: they lose time by chance")
    asked = parser.parse_args()
    threads.DAWDLE = int(asked.dawdle)
    TOPOLOGIES.add("random", RANDOM)
    usual = settings(
        max_examples=asked.cases, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    total = 0
    for tests in (test_threads_agree,) if asked.threads else (test_wirings_agree, test_agreement):
        for kind, stories in tests.STORIES.items():
            if asked.kinds not in kind:
                continue
            drawn = (stories, tests.THREADS, tests.LOTS) if asked.threads else (stories,)
            seed(asked.seed)(usual(given(*drawn)(tests.agree)))()
            total += asked.cases
            said(f"{tests.__name__} {kind}: {asked.cases} cases agree (seed {asked.seed})")
    said(f"{total} cases agree (seed {asked.seed})")


if __name__ == "__main__":
    main()
