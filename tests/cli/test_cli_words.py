"""What the shell completes, what is said and what is not, and how flags are spelled."""

import pytest
from answers import refused

from netplace.cli import app
from netplace.plan_settings import COSIM_SETTINGS, LOAD_SETTINGS, SCHEDULE_SETTINGS
from netplace.runs.loads import KEYS, make_load_plan
from netplace.runs.study_file import read_plans


def completed(command, name, begun):
    found = app.commands[command]
    context = found.make_context(command, ["--help"], resilient_parsing=True)
    [parameter] = [one for one in found.get_params(context) if one.name == name]
    return [item.value for item in parameter.shell_complete(context, begun)]


@pytest.mark.parametrize("command", sorted(app.commands))
def test_every_command_can_be_quiet(command):
    assert any("--quiet" in parameter.opts for parameter in app.commands[command].params)


def test_quiet_commands_say_nothing_but_mistakes(netplace):
    words = ("schedule", "--machine", "mesh:8", "--workload", "lublin", "--policy", "easy", "--jobs", 5)
    assert "have no estimate" in netplace(*words).stderr
    assert netplace(*words, "--quiet").stderr == ""
    assert "netplace:" in netplace(*words[:-1], 0, "--quiet").stderr
    assert "have no estimate" in netplace(*words).stderr  # it was for that command alone


def test_flags_take_underscores_for_dashes(netplace):
    refused(
        netplace("run", "--network", "torus:4x4", "--app", "butterfly", "--tasks", 16, "--max_cycles", 5),
        "not finished after 5 cycles",
    )


def test_list_alone_tells_the_topics(netplace):
    result = netplace("list")
    assert result.exit_code == 0
    assert "netplace list networks" in result.stdout


def test_keys_of_files_take_either_spelling(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text('network = "torus:4x4"\noffered = 0.5\ntraffic = "hot-spot"\nhot-node = 3\n')
    (plan,) = read_plans(path, KEYS, make_load_plan, "points")
    assert plan.to_dict()["hot_node"] == 3
    path.write_text(path.read_text() + "hot_node = 6\n")
    with pytest.raises(ValueError, match="hot-node and hot_node are the same key"):
        read_plans(path, KEYS, make_load_plan, "points")


def test_values_of_settings_are_completed():
    assert completed("run", "vc_policy", "sh") == ["shortest"]


@pytest.mark.parametrize(
    ("command", "settings"),
    [("schedule", SCHEDULE_SETTINGS), ("load", LOAD_SETTINGS), ("cosim", COSIM_SETTINGS)],
)
def test_every_key_of_a_plan_is_a_flag(command, settings):
    found = app.commands[command]
    context = found.make_context(command, ["--help"], resilient_parsing=True)
    flags = {one.name for one in found.get_params(context)}
    assert flags >= {*settings}
