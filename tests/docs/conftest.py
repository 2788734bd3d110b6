"""Documents add rules of their own, which are taken out again after each."""

import pytest

from netplace.apps import APPLICATIONS
from netplace.placement import MAPPINGS
from netplace.scheduling import PARTITIONERS, POLICIES
from netplace.topologies import TOPOLOGIES
from netplace.topologies.routing import ROUTINGS


@pytest.fixture(autouse=True)
def rules_of_a_document():
    known = [
        (registry, set(registry))
        for registry in (APPLICATIONS, MAPPINGS, PARTITIONERS, POLICIES, ROUTINGS, TOPOLOGIES)
    ]
    yield
    for registry, before in known:
        for added in set(registry) - before:
            registry._remove(added)
