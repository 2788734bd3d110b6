"""What the shell completes, what is said and what is not, and how flags are spelled."""

import pytest

from netplace.cli import COMMANDS, app


def completed(command, name, begun):
    found = app.commands[command]
    [parameter] = [one for one in found.params if one.name == name]
    context = found.make_context(command, ["--help"], resilient_parsing=True)
    return [item.value for item in parameter.shell_complete(context, begun)]


@pytest.mark.parametrize(
    ("command", "name", "begun", "expected"),
    [
        ("run", "network", "tor", "torus:"),
        ("list", "topic", "net", "networks"),
        ("run", "partition", "q", "quadrants"),
        ("run", "mapping", "con", "consecutive"),
        ("schedule", "policy", "ea", "easy"),
        ("allocate", "partitions", "non", "non-contiguous"),
    ],
)
def test_names_are_completed(command, name, begun, expected):
    assert expected in completed(command, name, begun)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_can_be_quiet(command):
    assert any("--quiet" in parameter.opts for parameter in app.commands[command].params)


def test_quiet_commands_say_nothing_but_mistakes(netplace):
    words = ("schedule", "--machine", "mesh:8", "--workload", "lublin", "--policy", "easy", "--jobs", 5)
    assert "have no estimate" in netplace(*words).stderr
    assert netplace(*words, "--quiet").stderr == ""
    assert "netplace:" in netplace(*words[:-1], 0, "--quiet").stderr
    assert "have no estimate" in netplace(*words).stderr  # it was for that command alone


def test_flags_take_underscores_for_dashes(netplace):
    result = netplace("run", "--network", "torus:4x4", "--app", "butterfly", "--tasks", 16, "--max_cycles", 5)
    assert result.exit_code == 2
    assert "not at its end after 5 cycles" in result.stderr


def test_list_alone_tells_the_topics(netplace):
    result = netplace("list")
    assert result.exit_code == 0
    assert "netplace list networks" in result.stdout
