"""Command lines of flags that are there, with values that are strange."""

import numpy as np
import rich_click as click
from spoiling import MILD, TOKENS

__all__ = ["command_line"]

Rng = np.random.Generator

# Command lines that end well and soon, to which strange flags are added.
GOOD = (
    ("run", "--network", "torus:4x4", "--app", "2d-torus,rounds=2", "--max-cycles", "100000"),
    ("run", "--network", "tree:4,2", "--app", "butterfly", "--tasks", "16", "--max-cycles", "100000"),
    ("run", "--network", "mesh:4x4", "--trace", "m.trc", "--max-cycles", "100000"),
    ("run", "--network", "slurm:topology.conf,taper=2", "--app", "all-to-all", "--max-cycles", "100000"),
    ("run", "--network", "torus:4x4", "--app", "training:model=toy,tp=2,pp=2", "--bytes-per-phit", "4096",
     "--max-cycles", "100000", "--collectives", "nccl"),
    ("load", "--network", "torus:4x4", "--offered", "0.1,0.2", "--warmup", "100", "--measure", "200"),
    ("map", "--network", "torus:4x4", "--app", "butterfly", "--mapping", "classic:iterations=2"),
    ("map", "--network", "torus:4x4", "--app", "butterfly", "--export", "flux", "--hosts", "hosts.txt",
     "-o", "r.txt"),
    ("metrics", "--network", "torus:4x4", "--app", "butterfly", "--tasks", "8", "--configurations", "2"),
    ("allocate", "--machine", "mesh:4x4", "--nodes", "3", "--all"),
    ("allocate", "--machine", "tree:4,2", "--nodes", "3", "--partition", "gen-alg"),
    ("pss", "derive", "--machine", "tree:2,3", "-o", "new.conf"),
    ("pss", "check", "tree.conf"),
    ("pss", "show", "tree.conf"),
    ("app", "waterfall", "--tasks", "16"),
    ("trace", "info", "m.trace"),
    ("trace", "convert", "m.tit", "-o", "out.goal"),
    ("trace", "cut", "m.trace", "-o", "out.trace", "--ranks", "0-1"),
    ("collective", "allreduce", "--ranks", "8", "--bytes", "1024"),
    ("collective", "bcast", "--ranks", "8", "--bytes", "1024", "--algorithm", "binomial"),
    ("record", "-n", "2", "-o", "own.trace", "--", "./none"),
    ("schedule", "--machine", "torus:4x4x4", "--workload", "lublin", "--jobs", "20"),
    ("schedule", "--machine", "torus:4x4x4", "--workload", "log.swf"),
    ("schedule", "--machine", "mesh:16", "--workload", "small.swf", "--power", "taurus", "--switching",
     "timeout:50"),
    ("cosim", "--machine", "torus:4x4", "--workload", "apps.csv"),
    ("cosim", "--machine", "torus:4x4", "--workload", "small.swf", "--applications", "mix.toml",
     "--fidelity", "mixes"),
    ("explain", "shared", "--workload", "apps.csv", "--job", "2"),
    ("whatif", "shared", "--workload", "apps.csv", "--without", "1"),
    ("schedule", "--site", "site.toml", "--machine", "mesh:16", "--workload", "small.swf"),
    ("backfill", "--platform", "1-2-4-8", "--workload", "small.swf", "--rule", "basic"),
    ("redirect", "--workload", "lublin", "--machine", "64", "--jobs", "50"),
    ("two-kinds", "--tasks", "tasks.csv", "--cpus", "2", "--gpus", "2"),
    ("two-kinds", "--queries", "5", "--cpus", "2", "--gpus", "2"),
    ("workload", "make", "lublin", "--nodes", "64", "--jobs", "20"),
    ("workload", "make", "applications", "--nodes", "64", "--jobs", "20"),
    ("workload", "info", "log.swf"),
    ("list", "networks"),
    ("check", "network", "dragonfly:a=4,p=2,h=2"),
    ("study", "list"),
    ("report", "shared", "-o", "page.html"),
    ("report", "run.json", "-o", "page.html"),
    ("compare", "run.json", "seeds.json"),
    ("export", "sched", "-o", "x.swf"),
    ("export", "sweep.sqlite", "-o", "x.csv"),
    ("advise", "--machine", "mesh:4x4", "--app", "2d-torus", "--tasks", "4", "--seconds", "0.1",
     "--simulations", "4"),
    ("doctor",),
    ("table", "sweep.sqlite"),
    ("table", "diff", "t.csv", "runs.csv"),
    ("plot", "t.csv", "-o", "x.svg"),
)  # fmt: skip
VALUES = (
    "torus:1x1", "torus:2x2x2x2x2x2x2x2", "torus:99999999999x2", "torus:0", "mesh:4x4x4", "tree:4,2",
    "thin:4,2,2", "tree:99,99", "twisted:8x4+3", "torus:4x", "torus", "lublin", "log.swf", "jobs.csv",
    "m.trc", "m.trace", "w.csv", "nodes.csv", "nope.trc", "butterfly", "lu,class=S", "gups,rounds=0",
    "file:nodes.csv", "nodes:0-3", "boxes:2x2", "quadrants", "td:seconds=0", "classic:faq,iterations=1",
    "shuffle", "column", "easy", "conservative", "sjf", "contiguous", "quasi-contiguous:20",
    "curve:hilbert", "penalty:linear,0.1", "slowed:1.3", "scaled:1e308", "table:t.csv",
    "simulated:s.sqlite", "table:nope", "fixed:10", "factor:inf", "infinite", "kill", "requeue", "0:1",
    "1:0", "0.1:1:0.1", "0.1:1:1e-9", "1,2", "x.png", "x.txt", "nowhere/x.png", ".", "smart", "oblivious",
    "fifo", "age", "single", "static", "reference", "batch", "any", "mixed", "hot-spot", "transpose",
    "never-ran", "1", "2", "3", "7", "16", "100", "1000000", "1000000000", "10000000000000", "0.5", "1e9",
    "dragonfly:a=4,p=2,h=2", "dragonfly+:leaves=2,spines=2,p=2,h=2", "slimfly:5", "slimfly:101",
    "hyperx:4x4,c=4",
    "xgft:3;4,4,4;1,2,2", "xgft:9;99,99", "hypercube:30", "slurm:topology.conf,taper=0.001",
    "slurm:topology.yaml,topology=wide", "slurm:topology.conf,links=links.txt", "ibnetdiscover:fabric.txt",
    "graph:cables.txt", "graph:net.graphml", "tree-file:machine.tree", "faulty:links=0.9/torus:8x8",
    "faulty:links=0.1,slow=0.5,cycles=9/graph:cables.txt", "service:nodes=0-99/torus:4x4",
    "service:every=1/torus:4x4", "training:model=llama3-405b,tp=8", "training:model=toy,tp=3",
    "training:layers=99999999", "openmpi", "nccl", "mpich", "table.toml", "allreduce=ring", "bcast=none",
    "up-down", "ugal-l:3", "valiant", "par:1", "ecmp", "adaptive", "at=20,links=0.5",
    "at=5,router=3;at=9,slow=1",
    "at=1,link=0-1,packets=again", "mm", "mbs", "paging:1", "pss:tree.conf", "pss:levels", "optimal",
    "buddy:cubic",
    "taurus", "power.toml", "site.toml", "timeout:0", "reserve:99,1", "plan:late=2", "lookahead:1e300",
    "mixes",
    "sampled", "table", "auto", "live", "mix.toml", "1-2-4-8", "9-9-9-9-9-9-9-9-9", "cards:2", "io:3",
    "centre",
    "gups", "openmpi", "flux", "hosts.txt", "held.txt", "shared", "sched", "shared/cosim.json", "SPT-RD",
    "all",
    "2=nodes:0-3", "2=random", "1=best:5", "0-1", "1:2", "one-sided,io", "link-load:max", "best:2",
)  # fmt: skip
SLOW = ("--workers", "--dask", "--help", "-h")  # processes are for other tests

# Counts of what is done again and again, with progress on stderr, until Ctrl-C: what is asked for openly may
# take long. Up to so many end soon; from `ABSURD` on they are refused. Those between are not tried, so that
# what takes long is a fault.
HONEST = {
    "--seeds": 64, "--configurations": 64, "--instances": 16, "--weeks": 16, "--draw": 300, "--jobs": 2000,
    "--warmup": 10**6, "--measure": 10**6, "--max-cycles": 10**6,
}  # fmt: skip
ABSURD = 10**17


def command_line(rng: Rng) -> list[str]:
    """Return a good command line with one to three strange flags behind it."""
    from netplace.cli import app

    words = list(GOOD[int(rng.integers(len(GOOD)))])
    command: click.Command = app
    for word in words[:2]:
        if isinstance(command, click.Group) and word in command.commands:
            command = command.commands[word]
    flags = command.get_params(click.Context(command, help_option_names=["-h", "--help"]))
    options = [one for one in flags if isinstance(one, click.Option) and one.opts[0] not in SLOW]
    place = words.index("--") if "--" in words else len(words)
    for _ in range(int(rng.choice([1, 1, 1, 2, 3])) if options else 0):
        chosen = options[int(rng.integers(len(options)))]
        added = [] if chosen.is_flag else [_within(chosen.opts, _value(rng)) for _ in range(chosen.nargs)]
        words[place:place] = [chosen.opts[0], *added]
    if not options or rng.random() < 0.2:
        words[int(rng.integers(1, len(words)))] = _value(rng)
    return words


def _within(flags: list[str], value: str) -> str:
    """Return a value of a flag, or the most that ends soon where it would take honestly long."""
    most = min((HONEST[flag] for flag in flags if flag in HONEST), default=ABSURD)
    number = int(value) if value.isascii() and value.isdigit() and len(value) < 18 else 0
    return str(most) if most < number < ABSURD else value


def _value(rng: Rng) -> str:
    how = rng.random()
    if how < 0.2:
        return MILD[int(rng.integers(len(MILD)))]
    if how < 0.45:
        return TOKENS[int(rng.integers(len(TOKENS)))]
    return VALUES[int(rng.integers(len(VALUES)))]
