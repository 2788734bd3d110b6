"""Pages of outcomes: what stands in them, and that nothing of it is lost."""

import dataclasses
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from answers import refused
from sample_pages import FIGURES, MARKUP, PAGE

from netplace.cosim.serialization import read_plan, text_of
from netplace.report.comparison import compare, read_outcome
from netplace.report.comparison.compare import comparison_page
from netplace.report.pages import kind_of, page_of, render
from netplace.report.pages.html import MOST_BYTES, DataTable, Page
from netplace.report.pages.kinds.links import load_map
from netplace.report.plots.charts import bar_figure
from netplace.report.plots.figure import Bars, Boxes, Figure, Links, Mark
from netplace.report.plots.schedules import kept_steps
from netplace.topologies import parse


class Seen(HTMLParser):
    """What a browser would make elements of."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.links, self.handlers = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("src", "href")]
        self.handlers += [name for name, _ in attrs if name.startswith("on")]


def figure_of(page, title):
    return next(part for part in page.parts if isinstance(part, Figure) and part.title == title)


def bars_of(page, title):
    """Return the values of the only series of bars of a figure."""
    [bars] = [mark for mark in figure_of(page, title).panels[0].marks if isinstance(mark, Bars)]
    return list(bars.values)


def data_of(text):
    return json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])


@pytest.fixture(scope="module")
def text():
    return render(PAGE)


def test_names_full_of_markup_stay_text(text):
    seen = Seen(text)
    assert seen.tags.count("script") == 3
    assert "img" not in seen.tags
    assert not seen.handlers
    assert not seen.links
    assert data_of(text)["tables"][0]["rows"][0] == [MARKUP, 1.5]
    kinds = [[mark["kind"] for mark in one["panels"][0]["marks"]] for one in data_of(text)["figures"]]
    assert kinds == [[type(mark).__name__ for mark in one.panels[0].marks] for one in FIGURES]
    assert {kind for own in kinds for kind in own} == {one.__name__ for one in Mark.__subclasses__()}


def test_every_figure_has_a_still_picture(text):
    stills = re.findall(r"<noscript>(.*?)</noscript>", text, re.DOTALL)
    assert len(stills) == len(FIGURES)
    assert all(still.startswith("<svg") and still.rstrip().endswith("</svg>") for still in stills)
    few = dataclasses.replace(PAGE, parts=PAGE.parts[:2])
    assert render(few) == render(few)


def test_a_page_opens_without_a_network(text):
    outside = re.findall(
        r'(?:src|href)\s*=\s*["\']?(https?:[^"\' >]+)', re.sub(r"<script.*?</script>", "", text, flags=re.S)
    )
    assert not outside


def test_numbers_that_are_none_are_null():
    bars = bar_figure("t", ["a"], {"x": [float("nan")]}, half={"x": [float("inf")]}, whiskers="none")
    text = render(
        Page("t?", ["It holds."], [], [bars, DataTable("d", ["v"], [[np.float64("nan")], [np.int64(3)]])])
    )
    assert "<td></td>" in text  # without scripts, too
    data = data_of(text)
    [mark] = data["figures"][0]["panels"][0]["marks"]
    assert mark["values"] == mark["half"] == [None]
    assert data["tables"][0]["rows"] == [[None], [3]]


def test_a_page_is_not_larger_than_it_may_be():
    rows = [["x" * 1000] for _ in range(MOST_BYTES // 1000)]
    with pytest.raises(ValueError, match="expected at most 20 MB"):
        render(Page("t?", ["It holds."], [], [DataTable("d", ["v"], rows)]))


def test_every_outcome_has_a_page(outcomes, reports):
    for kind, path in outcomes.items():
        text = reports[kind].read_text()
        assert (kind_of(path) or kind) == kind
        assert len(text) < 5_000_000
        assert data_of(text)["tables"]
        assert '<ul class="verdict"><li>' in text


def test_a_page_without_an_answer_is_refused():
    for sentences in ([], [" "]):
        with pytest.raises(ValueError, match=r"t\?: has no answer"):
            Page("t?", sentences)
    with pytest.raises(ValueError, match="t: is no question"):
        Page("t", ["It holds."])


def test_the_page_of_tables_begins_with_the_answer_of_its_command(outcomes):
    for kind in ("allocation", "metrics", "changes", "explanation", "load"):
        answer = json.loads(outcomes[kind].read_text())["answer"]
        assert re.search(r"\d", answer)
        assert page_of(outcomes[kind]).verdict == [answer]


@pytest.mark.parametrize("kind", ["run", "schedule", "co-simulation"])
def test_the_page_of_a_folder_has_the_command_that_made_it(outcomes, kind):
    asked = dict(page_of(outcomes[kind]).asked)
    assert asked["command"].startswith(f"netplace {outcomes[kind].name} ")
    assert str(outcomes[kind]) in asked["command"]


def test_the_page_of_a_lone_file_has_the_command_that_made_it(netplace, tmp_path):
    printed = netplace("app", "butterfly", "--tasks", 8, "--json")
    (tmp_path / "alone.json").write_text(printed.stdout)
    assert netplace("report", tmp_path / "alone.json").exit_code == 0
    assert "netplace app butterfly --tasks 8 --json" in (tmp_path / "alone.html").read_text()


def test_the_figures_of_a_cosimulation_are_its_own(outcomes):
    path = outcomes["co-simulation"]
    kept = json.loads((path / "cosim.json").read_text())
    page = page_of(path)
    known = [job["slowdown"] for job in kept["jobs"] if job["slowdown"] is not None]
    assert bars_of(page, "Slowdown of each job") == known
    links = figure_of(page, "Links where jobs waited for other jobs").panels[0].marks[0].values
    assert sum(links[0]) == sum(link["others"] for link in kept["waiting"]["links"])
    assert sum(map(sum, links[1:])) == sum(links[0])
    [boxes] = figure_of(page, "Nodes of jobs over time").panels[0].marks
    held = ((boxes.x1 - boxes.x0) * (boxes.y1 - boxes.y0)).sum()
    expected = sum((job["end"] - job["start"]) * job["size"] for job in kept["jobs"])
    longest = max(job["end"] for job in kept["jobs"]) - min(job["submit"] for job in kept["jobs"])
    assert held * longest / boxes.x1.max() == pytest.approx(expected, rel=1e-6)


def test_a_cosimulation_in_which_no_job_waited_for_another_has_no_empty_matrix(outcomes, tmp_path):
    plan, outcome = read_plan(outcomes["co-simulation"])
    own = [[job, other, cycles] for job, other, cycles in outcome["waiting"]["jobs"] if job == other]
    outcome["waiting"] |= {"jobs": own, "over_time": []}
    (tmp_path / "cosim.json").write_text(text_of(plan, outcome))
    page = page_of(tmp_path)
    assert "No packets waited for packets of other jobs." in page.verdict
    assert not any(getattr(part, "title", "").startswith("Links where jobs waited") for part in page.parts)
    assert "Waiting between jobs" not in {part.title for part in page.parts}
    assert render(page)


def test_the_page_of_a_run_has_its_messages_its_links_and_its_critical_path(outcomes):
    kept = json.loads((outcomes["run"] / "run.json").read_text())
    page = page_of(outcomes["run"])
    assert not page.missing
    (job,) = kept["timeline"]
    tasks, messages, *path = figure_of(page, "Tasks and messages over time").panels[0].marks
    assert len(messages.x0) == job["sent"] == len(job["messages"])
    unit = tasks.x1[0] / job["ends"][0]
    stretches = sum(float((one.x1 - one.x0).sum()) for one in path if isinstance(one, Boxes))
    assert stretches == pytest.approx(unit * max(job["ends"]))
    assert sum(job["spent"].values()) == kept["runs"][0]["cycles"]
    network = figure_of(page, "Link loads")
    [links] = [mark for mark in network.panels[0].marks if isinstance(mark, Links)]
    assert len(network.frames) == len(links.values) == 1 + len(kept["links"]["ends"])
    assert max(links.values[0]) == pytest.approx(kept["runs"][0]["most_link_load"], rel=1e-3)


@pytest.mark.usefixtures("sketches")
@pytest.mark.parametrize(
    "words",
    [
        ("map", "--network", "mesh:4x4", "--app", "butterfly", "--tasks", 8, "--mapping", "random"),
        ("metrics", "--network", "mesh:4x4", "--app", "butterfly", "--tasks", 8),
        ("check", "network", "torus:4x4"),
        ("collective", "bcast", "--ranks", 4),
        ("app", "butterfly", "--tasks", 8),
        ("schedule", "--machine", "mesh:4x4", "--workload", "lublin", "--jobs", 20),
    ],
    ids=lambda words: words[0],
)
def test_a_command_writes_its_page_at_once(netplace, tmp_path, words):
    result = netplace(*words, "-o", tmp_path / "page.html")
    assert result.exit_code == 0, result.output
    command = " ".join(map(str, ["netplace", *words, "-o"]))
    assert command in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    "network", ["mesh:3", "torus:4x4", "torus:3x3x3", "mesh:2x2x2x2", "tree:2,3", "dragonfly:a=2,p=1,h=1"]
)
def test_every_kind_of_network_is_drawn_with_all_its_links(network):
    topology = parse(network)
    port = int(np.flatnonzero(topology.neighbor[0] >= 0)[0])
    drawn = load_map(topology, [10, 20], [[0, port, 0.75, 1.0, 0.5]]).panels[0].marks[0]
    assert len(drawn.x0) == np.count_nonzero(topology.neighbor >= 0)
    assert len(set(drawn.tips)) == len(drawn.tips) == len(drawn.x0)
    assert [max(loads) for loads in drawn.values] == [0.75, 1.0, 0.5]


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("none", None, "does not exist, expected an outcome"),
        ("a.txt", "x", "is not an outcome that netplace can report"),
        ("a.json", "{", "a.json: is not a file of results"),
        ("a.json", " \n", "a.json: is empty, expected JSON"),
        ("a.json", '{"netplace": "rnu"}', "a.json: netplace: unknown name 'rnu'; did you mean run"),
        ("a.csv", "x,y\n1,2\n", "a.csv"),
    ],
)
def test_what_is_no_outcome_is_a_sentence(netplace, tmp_path, name, text, sentence):
    if text is not None:
        (tmp_path / name).write_text(text)
    refused(netplace("report", tmp_path / name), sentence)
    assert not list(tmp_path.glob("*.html"))


@pytest.mark.usefixtures("sketches")
def test_the_page_of_a_schedule_says_what_energy_it_took(netplace, tmp_path):
    words = ("--machine", "torus:4x4", "--workload", "lublin", "--jobs", 40, "--power", "taurus")
    assert netplace("schedule", *words, "--switching", "timeout:300", "-o", tmp_path / "out").exit_code == 0
    kept = json.loads((tmp_path / "out" / "figures.json").read_text())["power"]
    page = page_of(tmp_path / "out")
    assert sum(bars_of(page, "Energy by state of the nodes")) == pytest.approx(kept["kwh"])
    assert f"It took {kept['kwh']:,.4g} kWh." in " ".join(page.verdict)


def test_steps_too_close_to_be_told_apart_are_thinned_but_keep_their_shape():
    rng = np.random.default_rng(5)
    moments = np.append(np.sort(rng.uniform(0, 100, 50_000)), [250.0, 1000.0])
    held = np.append(rng.integers(0, 144, 50_000), [3, 0])
    waiting = rng.integers(0, 900, len(moments))
    kept = kept_steps(moments, (held, waiting), 4000)
    assert len(kept) <= 4000
    assert {0, 49_999, 50_000, 50_001} <= set(kept)  # what holds for long is what was
    for values in (held, waiting):
        assert values[kept].min() == values.min()
        assert values[kept].max() == values.max()
    assert kept_steps(moments, (held,), 60_000).tolist() == list(range(len(moments)))


# Of each outcome its figures, and its tables.
INVENTORY = {
    "co-simulation": (
        [
            "Slowdown of each job",
            "Nodes of jobs over time",
            "Waiting between jobs",
            "Links where jobs waited for other jobs",
        ],
        ["Figures", "Figures of the jobs", "Error of table times (%)", "Waiting by pair of jobs", "Jobs"],
    ),
    "schedule": (
        ["Nodes of jobs over time", "Occupied nodes over time", "Waits of jobs"],
        ["Figures", "Figures of the jobs", "Jobs"],
    ),
    "run": (
        [
            "Run time by seed",
            "Load of links over time",
            "Link loads",
            "Tasks and messages over time",
            "Parts of the critical path",
        ],
        ["Jobs", "Figures"],
    ),
    "mapping": (
        ["Mappings side by side", "Traffic between tasks"],
        ["Mappings side by side", "Nodes", "Costs by seed"],
    ),
}


@pytest.mark.parametrize("kind", INVENTORY)
def test_no_figure_and_no_table_of_a_page_is_lost(outcomes, kind):
    page = page_of(outcomes[kind])
    figures = [part.title for part in page.parts if isinstance(part, Figure)]
    tables = [part.title for part in page.parts if not isinstance(part, Figure)]
    assert (figures, tables) == INVENTORY[kind]


def test_no_figure_and_no_table_of_a_comparison_is_lost(outcomes, netplace, tmp_path):
    words = ("run", "--network", "torus:4x4", "--app", "butterfly", "--tasks", 16, "--seeds", 2)
    assert netplace(*words, "-o", tmp_path / "near").exit_code == 0
    page = comparison_page(compare(read_outcome(tmp_path / "near"), read_outcome(outcomes["run"])))
    assert [part.title for part in page.parts] == [
        "Different requests",
        "Relative differences of results",
        "Results",
    ]


# The pictures that folders hold.
PICTURES = {
    "co-simulation": {"sharing.png", "waiting.png"},
    "schedule": {"gantt.png", "occupancy.png", "utilisation.png"},
    "run": {"loads.png"},
}


@pytest.mark.parametrize("kind", PICTURES)
def test_no_picture_of_a_folder_is_lost(outcomes, kind):
    assert {path.name for path in outcomes[kind].glob("*.png")} == PICTURES[kind]
