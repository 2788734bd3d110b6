"""``--help`` fits a screen, ``--help-all`` shows the rest, and the network's settings are told once."""

from dataclasses import fields

import click
import pytest
from answers import refused

from netplace.cli import COMMANDS, app
from netplace.cli.help import FIRST
from netplace.netsim import Config

LINES = 24
SETTINGS = {"--" + item.name.replace("_", "-") for item in fields(Config)}


def shown(netplace, *words):
    result = netplace(*words)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def flags_of(text):
    return {word.strip("│*, ") for word in text.replace(",", " ").split() if word.startswith("--")}


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_the_help_of_a_command_fits_a_screen(netplace, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    options = [line for line in shown(netplace, command, "--help").splitlines() if line.startswith("│")]
    assert len(options) <= LINES


@pytest.mark.parametrize("command", sorted(FIRST))
def test_all_flags_but_the_settings_are_in_the_long_help(netplace, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "120")
    found = app.commands[command]
    known = {
        flag
        for one in found.get_params(click.Context(found, help_option_names=["-h", "--help"]))
        if isinstance(one, click.Option)
        for flag in one.opts
        if flag.startswith("--")
    }
    assert {flag for flag in FIRST[command] if flag.startswith("--")} <= known
    short, long = (flags_of(shown(netplace, command, flag)) for flag in ("--help", "--help-all"))
    assert known - SETTINGS - {"--bytes-per-phit"} <= long
    assert {flag for flag in FIRST[command] if flag.startswith("--")} <= short
    assert not short & (SETTINGS - {"--vcs", "--vc-policy", "--routing"})
    assert known - SETTINGS - short - {"--bytes-per-phit"}, "nothing is left for --help-all"


def test_the_settings_are_shown_once(netplace):
    text = shown(netplace, "help", "network")
    assert flags_of(text) >= SETTINGS


def test_help_of_a_command_is_that_of_the_command(netplace):
    assert "--offered" in shown(netplace, "help", "load")
    assert "Commands" in shown(netplace, "help") or "run" in shown(netplace, "help")
    refused(netplace("help", "netwrok"), "did you mean network")
