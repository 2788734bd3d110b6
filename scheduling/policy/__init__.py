"""Scheduling policies, the rules by which waiting jobs start, by name.

To add one, write a class with the members of `Queue` and a line in `POLICIES`; `PlainQueue` has everything
but the rule.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from netplace.registry import Registry
from netplace.scheduling.policy.asked import Machine, Policy, Queue, Running, Waiting
from netplace.scheduling.policy.conservative import ConservativeQueue
from netplace.scheduling.policy.easy import CountedEasyQueue, EasyQueue, PatientEasyQueue
from netplace.scheduling.policy.plain import PlainQueue, SortedQueue, largest, longest, shortest
from netplace.scheduling.policy.plan import Booking, Plan, make_plan

__all__ = [
    "POLICIES",
    "Booking",
    "ConservativeQueue",
    "Machine",
    "PlainQueue",
    "Plan",
    "Policy",
    "Queue",
    "Running",
    "Waiting",
    "find_policy",
]

_POLICIES: dict[str, Policy] = {
    policy.name: policy
    for policy in (
        Policy("conservative", ConservativeQueue, "every job has a reservation, and no job is delayed"),
        Policy(
            "conservative-full",
            lambda: ConservativeQueue(compress=True),
            "conservative; an early end moves all reservations forward",
        ),
        Policy(
            "conservative-places",
            partial(ConservativeQueue, plan=partial(make_plan, windows=True)),
            "conservative; reservations name nodes that are free during the whole estimate",
        ),
        Policy(
            "easy", EasyQueue, "jobs overtake if they do not delay the reservation of the head", requeues=True
        ),
        Policy(
            "easy-counted",
            CountedEasyQueue,
            "easy, but reserves only a number of nodes; jobs in the way of the head are requeued",
            requeues=True,
        ),
        Policy(
            "easy-patient",
            PatientEasyQueue,
            "easy, but reserves only a number of nodes; the head waits until its place is free",
            requeues=True,
        ),
        Policy(
            "fcfs", SortedQueue, "first come, first served; the head blocks the other jobs", estimated=False
        ),
        Policy(
            "largest-first",
            partial(SortedQueue, largest),
            "most nodes first, then longest estimate (Leung et al. 2002); the head blocks the other jobs",
        ),
        Policy(
            "lpt", partial(SortedQueue, longest), "longest estimate first; the head blocks the other jobs"
        ),
        Policy(
            "sjf", partial(SortedQueue, shortest), "shortest estimate first; the head blocks the other jobs"
        ),
    )
}


def _own(queue: Callable[[], Queue], name: str, description: str) -> Policy:
    return Policy(name, queue, description, requeues=True)


POLICIES: Registry[Policy] = Registry("policy", "netplace.policies", Policy, _POLICIES, _own)


def find_policy(text: str) -> Policy:
    """Return the policy of a name."""
    policy, option = POLICIES.find(text)
    if option:
        raise ValueError(f"policy {text!r}: takes no option, but {option!r} was given")
    return policy
