"""Two versions are measured in turn; how fast they are is not for the tests to judge."""

import pytest
import rows
import speed

pytestmark = pytest.mark.all  # starts processes


@pytest.mark.parametrize(
    "row",
    [
        "jobs that come and go",
        "mapping of a halo",
        "curve, easy, load 0.7",
        "service, curve:hilbert,best-fit",
        "netplace run",
    ],
)
def test_every_kind_of_row_is_measured(row, monkeypatch):
    monkeypatch.setattr("sys.argv", ["rows.py", row])
    assert next(made for (name, _), made in rows.ROWS.items() if name == row)()() > 0


def test_traffic_has_speed_and_memory():
    measure, memory = rows.traffic("torus:8x8", 0.5, 100, 200, {}, "torus:4x4")
    assert measure() > 0
    assert memory >= 0


def test_both_sides_are_measured(capsys):
    speed.main(["--only", "halo", "--repeats", "1"])
    head, _, row = capsys.readouterr().out.splitlines()
    assert head.count("|") == row.count("|")
    assert row.startswith("| mapping of a halo | iterations | ")
    before, now, ratio = map(float, row.split("|")[3:6])
    assert ratio == pytest.approx(now / before, rel=1e-2)


def test_a_version_is_imported_from_its_folder(tmp_path):
    (tmp_path / "netplace").mkdir()
    (tmp_path / "netplace" / "__init__.py").write_text("raise SystemExit(9)\n")
    with pytest.raises(ValueError, match="could not be measured"):
        speed.Side("jobs that come and go", tmp_path)


def test_a_commit_is_unpacked(tmp_path):
    speed.unpack("HEAD", tmp_path)
    assert (tmp_path / "netsim" / "kernel" / "loop.hpp").exists()


@pytest.mark.parametrize("commit", ["no-such-commit", "--output=x"])
def test_a_commit_that_is_none_is_a_sentence(commit, tmp_path):
    with pytest.raises(ValueError, match=f"'{commit}' is no commit"):
        speed.unpack(commit, tmp_path)
