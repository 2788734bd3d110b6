"""Every feature works on every kind of network, on both engines alike, as the page says."""

import pytest
from features import FEATURES, NETWORKS, PAGE, expected, network_text, page_table, tried

from netplace.topologies import TOPOLOGIES


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=() if kind in ("torus", "tree") else pytest.mark.all) for kind in NETWORKS],
)
def test_every_feature_on_a_kind_of_network(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "netplace.cosim.alone.half_width_of", lambda *_: 0.0
    )  # so that three draws are enough
    text = network_text(kind, tmp_path)
    assert {feature: tried(feature, text) for feature in FEATURES} == expected(kind)


def test_every_kind_of_network_is_tried():
    assert set(NETWORKS) == set(TOPOLOGIES)


def test_the_page_shows_the_matrix():
    assert page_table({kind: expected(kind) for kind in NETWORKS}) in PAGE.read_text("utf-8")
