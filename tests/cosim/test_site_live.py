"""The rules of a site on every network time, and in `netplace schedule`."""

import json

import pytest

from netplace.cosim import FIDELITIES, cosimulate, make_cosim_plan
from netplace.runs.plan import make_plan
from netplace.runs.schedules import run_schedule

SMALL = {
    "machine": "torus:4x4",
    "workload": "applications",
    "jobs": 6,
    "sizes": "small",
    "intensity": "low",
    "mean_interarrival": 2e-6,
}


@pytest.fixture
def site(tmp_path):
    def written(text=""):
        path = tmp_path / "site.toml"
        path.write_text(text)
        return str(path)

    return written


@pytest.mark.parametrize("fidelity", FIDELITIES)
def test_a_site_without_rules_is_easy_backfilling(site, fidelity):
    asked = SMALL | {"fidelity": fidelity}
    easy = cosimulate(make_cosim_plan(asked | {"policy": "easy"})).outcome
    rules = cosimulate(make_cosim_plan(asked | {"site": site()})).outcome
    assert rules["jobs"] == easy["jobs"]
    assert rules["site"] == {"refused": 0, "node_failures": 0, "before_unknown": 0}


def test_a_node_fails_under_a_live_job_which_runs_again(site, tmp_path):
    plan = make_cosim_plan(SMALL | {"policy": "easy", "partition": "non-contiguous"})
    first = cosimulate(plan).outcome["jobs"][0]
    middle = (first["start"] + first["end"]) / 2
    (tmp_path / "outages.csv").write_text(
        f"node,begin,end\n{first['nodes'][0]},{middle!r},{middle + 1e-7!r}\n"
    )
    rules = site(f'[failures]\nfile = "{tmp_path / "outages.csv"}"\n')
    made = cosimulate(make_cosim_plan(SMALL | {"site": rules}))
    assert made.outcome["site"]["node_failures"] == 1
    assert made.schedule.kills.tolist()[0] == 1
    assert made.outcome["jobs"][0]["end"] > first["end"]


def test_windows_hold_for_schedules_of_the_flags(netplace, site):
    rules = site('[[window]]\nname = "service"\nbegin = 0\nend = 1e6\n')
    shown = netplace(
        "schedule", "--machine", "mesh:64", "--workload", "lublin", "--jobs", 20, "--site", rules, "--json"
    )
    assert shown.exit_code == 0, shown.stderr
    assert json.loads(shown.stdout)["site"]["refused"] == 0
    plan = make_plan({"machine": "mesh:64", "workload": "lublin", "jobs": 20, "site": rules})
    made = run_schedule(plan).schedule
    assert not ((made.start < 1e6) & (made.start + made.estimate > 0) & (made.start >= 0)).any()


def test_the_key_is_that_of_the_rules_wherever_they_stand(site, tmp_path):
    given = {"machine": "mesh:64", "workload": "lublin"}
    before = make_plan(given | {"site": site("dependencies = true\n")})
    (tmp_path / "other.toml").write_text("# the same\ndependencies = true\n")
    assert make_plan(given | {"site": str(tmp_path / "other.toml")}).key == before.key
    assert make_plan(given | {"site": site("dependencies = false\n")}).key != before.key
    assert make_plan(given | {"policy": "easy"}).key != before.key


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"policy": "easy"}, "policy: 'easy' given, but the rules of"),
        ({"partition": "contiguous"}, "chooses specific nodes"),
        ({"installed": 8}, "installed: 8 given"),
        ({"overrun": "requeue"}, "requeue"),
    ],
)
def test_what_does_not_go_with_a_site_is_refused(site, more, words):
    with pytest.raises(ValueError, match=words):
        run_schedule(
            make_plan({"machine": "mesh:8x8", "workload": "lublin", "jobs": 3, "site": site()} | more)
        )


def test_a_folder_with_a_site_is_read_again(netplace, site, tmp_path):
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in SMALL.items()]
    made = netplace("cosim", *flags, "--site", site(), "-o", tmp_path / "shared")
    assert made.exit_code == 0, made.stderr
    again = netplace("whatif", tmp_path / "shared", "--without", "1", "--json")
    assert again.exit_code == 0, again.stderr
