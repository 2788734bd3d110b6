"""What a run is: canonical form, content hash, and from a user's words to it."""

import gzip
import json
import shutil

import pytest

from netplace.apps.carried import carried
from netplace.netsim import Config
from netplace.runs import Run, resolve
from netplace.runs.execute import execute

HALO = {"app": "2d-torus", "packets": 2}


def test_the_canonical_form_is_read_back():
    run = resolve("torus:4x4", [HALO, {"trace": "is.w.16", "start": 5}], config=Config(vcs=3), seed=7)
    assert Run.from_dict(json.loads(json.dumps(run.to_dict()))) == run
    assert Run.from_dict(json.loads(json.dumps(run.to_dict()))).key == run.key


def test_what_means_the_same_has_one_key():
    run = resolve("torus:4x4", {"app": "bt,class=s"})
    for same in (
        resolve("torus:04x4", {"app": "bt", "class": "S"}),
        resolve("torus:4x4", {"app": "bt", "class": "S", "tasks": 16, "mapping": "consecutive"}),
        resolve("torus:4x4", {"app": "bt,class=S,tasks=16"}, partition="whole", config=Config(vcs=2)),
    ):
        assert same.key == run.key
    assert resolve("mesh:4x4", HALO).key == resolve("mesh:4x4", {"app": "2d-torus", "bytes": 128}).key
    assert resolve("mesh:4x4", HALO).key == resolve("mesh:4x4", {**HALO, "rounds": 1}).key


def test_a_list_of_nodes_may_be_longer_than_the_name_of_a_file():
    nodes = f"nodes:{','.join(map(str, range(255, 0, -1)))}"
    assert resolve("torus:16x16", HALO, partition=nodes).contents == ()


def test_of_a_file_the_content_counts_not_the_place(tmp_path):
    known = carried("is.w.16")
    here, there = tmp_path / "a" / known.name, tmp_path / "b" / known.name
    for path in (here, there):
        path.parent.mkdir()
        shutil.copy(known, path)
    key = resolve("torus:4x4", {"trace": str(here)}).key
    assert resolve("torus:4x4", {"trace": str(there)}).key == key
    assert resolve("torus:4x4", {"trace": "is.w.16"}).key == key
    there.write_bytes(gzip.compress(gzip.decompress(there.read_bytes()) + b"# more\n"))
    assert resolve("torus:4x4", {"trace": str(there)}).key != key


@pytest.mark.parametrize(
    ("network", "job", "words"),
    [
        ("tours:4x4", HALO, "did you mean torus"),
        ("torus:4x4", {"app": "2d-tours"}, "did you mean 2d-torus"),
        ("torus:4x4", {"app": "2d-torus", "round": 2}, "did you mean rounds"),
        ("torus:4x4", {"app": "2d-torus", "packets": 0}, "packets: 0 is too small"),
        ("torus:4x4", {**HALO, "bytes": 2}, "expected bytes or packets, not both"),
        ("torus:4x4", {**HALO, "section": "time"}, "did you mean timed"),
        ("torus:4x4", {**HALO, "trace": "is.w.16"}, "expected either app or trace"),
        ("torus:4x4", {**HALO, "tasks": 17}, "jobs: 17 tasks are more than the 16 nodes of torus:4x4"),
    ],
)
def test_a_mistake_is_one_sentence(network, job, words):
    with pytest.raises(ValueError, match=words):
        resolve(network, job)


def test_a_network_file_that_has_changed_is_read_anew(tmp_path):
    path = tmp_path / "machine.txt"
    app = {"app": "2d-mesh", "tasks": 4}
    path.write_text("a b\nb c\nc d\n")
    first = resolve(f"graph:{path}", app)
    assert execute(first).link_packets.shape == (4, 2)
    path.write_text("a b\nb c\nc d\nd a\na c\n")
    second = resolve(f"graph:{path}", app)
    assert first.key != second.key
    assert execute(second).link_packets.shape == (4, 3)
    with pytest.raises(ValueError, match="has changed since the run was specified"):
        execute(first)
