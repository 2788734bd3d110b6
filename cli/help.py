"""The help of commands: ``--help`` shows the flags that most users need, ``--help-all`` shows the others too.

The settings of the network are the same for all commands; ``netplace help network`` shows them once.
"""

from __future__ import annotations

from copy import copy

import rich_click as click

SETTINGS_PANEL = "Network settings"
_SHOWN = "netplace.help"  # in the context, while help is printed: "first" or "all"

# The flags that `--help` shows, for commands with more of them than fit on a screen.
FIRST: dict[str, tuple[str, ...]] = {
    "run": ("--network", "--app", "--trace", "--jobs", "--tasks", "--partition", "--mapping", "--seeds",
            "-o"),
    "load": ("--network", "--traffic", "--offered", "--warmup", "--measure", "--seeds", "--workers", "-o"),
    "map": ("--network", "--program", "--app", "--trace", "--partition", "--mapping", "--seeds",
            "--budget", "--latex", "-o"),
    "metrics": ("--network", "--app", "--trace", "--jobs", "--tasks", "--partition", "--mapping", "-o"),
    "advise": ("--machine", "--free", "--running", "--app", "--trace", "--tasks", "--seconds", "-o"),
    "cosim": ("--machine", "--workload", "--jobs", "--load", "--policy", "--partition", "--mapping",
              "--fidelity", "--explain", "-o"),
    "schedule": ("--machine", "--workload", "--jobs", "--load", "--policy", "--partition", "--times",
                 "--estimates", "--store", "-o"),
    "collective": ("--algorithm", "--collectives", "--ranks", "--bytes", "--root", "-o"),
    "study": ("--quick", "--table", "--log", "--store", "--workers", "-o"),
    "pss": ("--machine", "--measured", "--cost", "--workers", "-o"),
}  # fmt: skip
_ALWAYS = ("--help", "--help-all")


class HelpfulCommand(click.RichCommand):
    """A command whose ``--help`` shows the flags in `FIRST` only, and no settings of the network."""

    def get_help(self, ctx: click.Context) -> str:
        """Return the help: of all flags after ``--help-all``, otherwise of those that most users need."""
        shown = ctx.meta.setdefault(_SHOWN, "first")
        try:
            return super().get_help(ctx)
        finally:
            if ctx.meta.get(_SHOWN) == shown:
                del ctx.meta[_SHOWN]

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters; while help is printed, those that it does not show are hidden."""
        found = super().get_params(ctx)
        first = FIRST.get(self.name or "")
        if first is not None:
            found = [*found[:-1], _help_all(), found[-1]]
        shown = ctx.meta.get(_SHOWN)
        return (
            found if shown is None else [_hidden(one, first if shown == "first" else None) for one in found]
        )


def is_in_help(context: click.Context) -> bool:
    return _SHOWN in context.meta


def _hidden(parameter: click.Parameter, first: tuple[str, ...] | None) -> click.Parameter:
    """Return a parameter, hidden if the help does not show it."""
    if not isinstance(parameter, click.Option):
        return parameter
    is_setting = getattr(parameter, "panel", None) == SETTINGS_PANEL
    if is_setting or (first is not None and not {*first, *_ALWAYS} & {*parameter.opts}):
        parameter = copy(parameter)
        parameter.hidden = True
    return parameter


def _help_all() -> click.Option:
    def show(context: click.Context, _: click.Parameter, wanted: bool) -> None:
        if wanted and not context.resilient_parsing:
            context.meta[_SHOWN] = "all"
            click.echo(context.get_help(), color=context.color)
            context.exit()

    return click.RichOption(
        ["--help-all"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        help="Show all flags except those in netplace help network.",
    )
