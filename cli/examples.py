"""The examples that the help shows; the tests run every one of them."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, ...]] = {
    "netplace": (
        "netplace list networks",
        "netplace run --network torus:4x4 --trace lu.W.16 --mapping random",
        "netplace load --network torus:8x8 --offered 0.2:0.8:0.2",
    ),
    "help": ("netplace help network", "netplace help run"),
    "list": ("netplace list networks", "netplace list partitions"),
    "run": (
        "netplace run --network torus:4x4 --trace is.W.16 --mapping random --seeds 3",
        "netplace run --network tree:4,2 --trace is.W.16.trace.gz --vcs 1 --json",
        "netplace run --network torus:8x8 --jobs 4x:2d-torus --tasks 16 --partition quadrants --threads 2",
        "netplace run --network mesh:8x8 --app all-to-all,packets=2 --vc-policy oblivious",
    ),
    "load": (
        "netplace load --network torus:8x8 --traffic uniform --offered 0.2:0.8:0.2",
        "netplace load --network tree:4,3 --traffic bit-complement --offered 0.3,0.6 --json",
        "netplace load --network torus:8x8 --network mesh:8x8 --offered 0.1:0.6:0.1 --seeds 3 -o curves.png",
        "netplace load --network dragonfly:a=4,p=2,h=2 --traffic adversarial --routing par --vcs 8 "
        "--offered 0.4",
    ),
    "check": (
        "netplace check network dragonfly:a=4,p=2,h=2 --routing ugal-l",
        "netplace check network torus:5,c=1 --routing dor --vc-discipline none",
        "netplace check network torus:8x8x8 tree:8,3 dragonfly:a=8,p=4,h=4,g=16",
    ),
    "collective": (
        "netplace collective bcast --algorithm binomial --ranks 16 --bytes 1024",
        "netplace collective allreduce --ranks 64 --bytes 1000000 --collectives openmpi --json",
    ),
    "map": (
        "netplace map --network torus:4x4 --program lu,class=S -o which.html",
        "netplace map --network torus:8x8 --program CG.A.64 --budget 600 --workers 2 --store runs.sqlite",
        "netplace map --network tree:4,2 --program IS.W.16 --mapping classic --mapping treematch --seeds 5",
        "netplace map --network torus:8x8 --app cg --class A --tasks 64 --mapping td -o mapping.csv",
    ),
    "metrics": (
        "netplace metrics --network mesh:32x32 --app lu --class A --tasks 64 --configurations 5",
        "netplace metrics --network torus:8x8 --jobs 4x:2d-torus --tasks 16 --partition random --simulate",
    ),
    "app": (
        "netplace app lu --class S --tasks 16",
        "netplace app waterfall,grid=4x4 --tasks 16 --packets 4 --rounds 30 --json",
    ),
    "allocate": (
        "netplace allocate --machine mesh:16x16 --nodes 20 --all",
        "netplace allocate --machine torus:8x8 --nodes 12 --partition mm --partition mc1x1 -o choices.png",
        "netplace allocate --machine mesh:8x8 --nodes 10 --partition curve:hilbert,best-fit --json",
    ),
    "advise": (
        "netplace advise --machine torus:4x4 --app 2d-torus --tasks 8 --seconds 1 -o advice",
        "netplace advise --machine tree:4,2 --free 0-11 --app all-to-all --tasks 6 --simulations 20 --json",
    ),
    "slurm": (
        "netplace slurm watch --help",
        "netplace slurm place --help",
    ),
    "batsim": (
        "netplace batsim platform --help",
        "netplace batsim scheduler --help",
    ),
    "serve": (
        "netplace serve --machine torus:8x8 --partition mc1x1",
        "netplace serve --machine tree:4,2 --folder service",
    ),
    "pss": (
        "netplace pss derive --machine tree:4,3 -o tree.conf",
        "netplace pss derive --machine torus:4x4 --measured gups -o torus.conf",
        "netplace pss check tree.conf --machine tree:4,3",
        "netplace pss show tree.conf --json",
    ),
    "record": ("netplace record -n 4 -o halo.trace.gz -- ./halo 100",),
    "plan-study": (
        "netplace run --network torus:4x4 --trace is.W.16 --mapping random --seeds 8 -o pilot",
        "netplace plan-study pilot --difference 3",
    ),
    "compare": (
        "netplace compare before.json after.json",
        "netplace compare main.sqlite branch.sqlite --fail-if worse",
        "netplace compare first second -o differences.html",
    ),
    "export": ("netplace export schedule -o jobs.csv", "netplace export sweep.sqlite -o runs.parquet"),
    "doctor": ("netplace doctor", "netplace doctor --no-test --json"),
    "report": ("netplace report shared -o report.html",),
    "plot": ("netplace plot out.parquet -o bars.png", "netplace plot sweep.toml --bars network -o bars.svg"),
    "table": (
        "netplace table sweep.toml --workers 2",
        "netplace table sweep.toml --csv out.csv --parquet out.parquet",
        "netplace table sweep.sqlite --runs",
        "netplace table sweep.toml --jobs --csv jobs.csv",
        "netplace table --verify sweep.sqlite",
    ),
    "trace": (
        "netplace trace info lu.W.16",
        "netplace trace convert is.W.16 -o is.goal",
        "netplace trace cut lu.W.16 --iterations 1:2 --ranks 0-3 -o part.trace.gz",
    ),
    "schedule": (
        "netplace schedule --machine torus:16x16x16 --workload lublin --jobs 500 --load 0.7 --policy easy "
        "--partition contiguous",
        "netplace schedule --machine tree:4,4 --workload lublin --jobs 500 --partition quasi-contiguous:20 "
        "--times scaled:0.9 -o schedule",
        "netplace schedule --machine mesh:128 --workload lublin --jobs 200 --policy easy --power taurus "
        "--switching timeout:300",
    ),
    "cosim": (
        "netplace cosim --machine torus:8x8 --workload applications --jobs 12 --sizes small --policy easy "
        "--partition random --explain -o shared",
        "netplace cosim --machine tree:4,3 --workload applications --jobs 12 --sizes small --intensity low "
        "--fidelity table --json",
    ),
    "explain": ("netplace explain shared --job 7", "netplace explain shared --job 7 --suspects 1 --json"),
    "whatif": (
        "netplace whatif shared --job 7 --without 12",
        "netplace whatif shared --mapping 7=random",
    ),
    "fit": (
        "netplace fit --network tree:4,2 --fabric omnipath --pingpong osu.txt -o fabric.toml",
        "netplace fit --network torus:2x2x2 --fabric tofu-d --collective alltoall=pairwise:osu.txt",
    ),
    "study": ("netplace study list", "netplace study td-vs-classic --table 1a --quick --workers 2"),
    "workload": (
        "netplace workload make lublin --nodes 4096 --load 0.7 --jobs 10000 -o w.swf.gz",
        "netplace workload make applications --nodes 4096 --classes 2d,3d --sizes large --jobs 1000 -o w.csv",
        "netplace workload info w.swf.gz -o w.png",
    ),
}


def examples_of(command: str) -> str:
    """Return the examples of one of the product's commands as the last lines of its help."""
    return as_epilog(*EXAMPLES[command])


def as_epilog(*examples: str) -> str:
    """Return examples as the last lines of a command's help."""
    return "\n\n".join(("Examples:", *examples))
