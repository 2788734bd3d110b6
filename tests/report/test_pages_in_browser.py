"""What a browser makes of pages: it draws, sorts, filters and downloads, at the width of desk and phone."""

import itertools
import json
import re
from pathlib import Path

import pytest
from browser import CHROMIUM, Browser
from sample_pages import FIGURES, MARKUP, PAGE

from netplace.report.pages import render
from netplace.report.pages.html import MOST_BYTES, DataTable, Page
from netplace.report.plots.figure import Axis, Boxes, Figure, Panel, Shades

pytestmark = pytest.mark.all  # needs a browser

CHECKS = (Path(__file__).parent / "checks.js").read_text()

needs_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium on this machine: pages are not tried in a browser"
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@needs_browser
@pytest.mark.parametrize(("width", "dark"), [(1280, True), (390, False)])
def test_a_page_works_in_a_browser(browser, tmp_path, width, dark):
    (tmp_path / "page.html").write_text(render(PAGE))
    browser.open(tmp_path / "page.html", width, dark=dark)
    done = json.loads(browser.value(CHECKS))
    assert browser.complaints() == []
    assert done["width"] == width
    assert done["wide"] <= 0
    assert all(count > 3 for count in done["drawn"])
    assert len(done["drawn"]) == sum(len(figure.panels) for figure in FIGURES)
    assert done["up"][:2] == ["1.5", "12,346"]
    assert done["down"][:2] == ["12,346", "1.5"]
    assert done["filtered"] == ["b"]
    assert done["csv"].splitlines()[0] == "name,n"
    assert "'=1+1,12345.68" in done["csv"]
    assert done["window"] == MARKUP


WIDTHS = """
(async () => {
  const main = document.querySelector("main"), places = [...document.querySelectorAll("[data-figure]")];
  const widths = () => places.map((place) => echarts.getInstanceByDom(place)?.getWidth() ?? 0);
  const after = async (width) => {
    main.style.width = width;
    await new Promise((then) => setTimeout(then, 150));
    return widths();
  };
  const found = [widths(), await after("500px"), await after("0"), await after("auto")];
  return JSON.stringify([...found, places.map((place) => place.clientWidth)]);
})()
"""


@needs_browser
def test_figures_are_as_wide_as_their_place_once_there_is_one(browser, tmp_path):
    text = render(PAGE).replace(
        "</head>", "<style>main { width: 0; padding: 0 } [data-figure] { max-width: 100% }</style></head>"
    )
    (tmp_path / "page.html").write_text(text)
    browser.open(tmp_path / "page.html", 1280)
    first, narrow, hidden, wide, places = json.loads(browser.value(WIDTHS))
    drawn = sum(map(bool, narrow))
    assert not any(first)
    assert drawn > 1
    assert narrow == hidden == [500] * drawn + [0] * (len(narrow) - drawn)
    assert wide[:drawn] == places[:drawn]
    assert browser.complaints() == []


@needs_browser
@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.nightly), 390])
def test_pages_of_outcomes_are_no_wider_than_a_phone(browser, reports, width):
    for kind, path in reports.items():
        browser.open(path, width)
        assert browser.value("document.documentElement.scrollWidth - window.innerWidth") <= 0, kind
        assert browser.complaints() == [], kind


STUDY = """machine = "torus:4x4"
jobs = {jobs}
policy = ["fcfs", "easy"]
partition = ["contiguous", "non-contiguous"]
"""
SWEEP = (
    'network = ["torus:4x4", "mesh:4x4"]\napp = "butterfly"\nmapping = ["consecutive", "random"]\nseeds = 2\n'
)
MADE = {  # of each kind of page that has none in `reports`
    "schedules": ("schedule", "schedules.toml"),
    "co-simulations": ("cosim", "cosims.toml"),
    "mappings": ("map", "--network", "torus:4x4", "--app", "butterfly", "--tasks", 16, "--budget", 1),
    "network": ("check", "network", "torus:4x4"),
    "networks": ("check", "network", "torus:4x4", "tree:4,2"),
    "collective": ("collective", "allreduce", "--ranks", 8, "--bytes", 1024),
    "program": ("app", "butterfly", "--tasks", 8),
    "seeds": ("plan-study", "run"),
    "comparison": ("compare", "run", "other"),
    "table": ("report", "times.csv"),
    "store": ("report", "sweep.sqlite"),
}
WORDS = "[µm]?s|min|h|cycles|hops|phits|jobs|nodes|messages|seeds|results|virtual channels?"
NUMBER = rf"\d\S*( ± \S+)? (%|({WORDS})\b)|slowdown .*\d"
FIRST_SCREEN = """
(() => {
  const place = document.querySelector(".verdict li").getBoundingClientRect();
  const inside = place.top >= 0 && place.bottom <= window.innerHeight && place.right <= window.innerWidth;
  return inside ? document.querySelector(".verdict li").textContent : "";
})()
"""


@needs_browser
def test_the_first_screen_of_every_kind_of_page_answers_its_question(
    browser, reports, netplace, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    seeds, small = 'workload = "lublin"\nseeds = 5\n', 'workload = "applications"\nsizes = "small"\n'
    (tmp_path / "schedules.toml").write_text(STUDY.format(jobs=40) + seeds)
    (tmp_path / "cosims.toml").write_text(STUDY.format(jobs=6) + small)
    (tmp_path / "sweep.toml").write_text(SWEEP)
    run = ("run", "--network", "torus:4x4", "--app", "butterfly", "--tasks", 16, "--seeds", 3)
    assert netplace(*run, "--mapping", "random", "-o", "run").exit_code == 0
    assert netplace(*run, "--mapping", "random", "--vcs", 1, "-o", "other").exit_code == 0
    assert netplace("table", "sweep.toml", "--csv", "times.csv").exit_code == 0
    pages = dict(reports)
    for kind, words in MADE.items():
        pages[kind] = tmp_path / f"{kind}.html"
        found = netplace(*words, "-o", pages[kind])
        assert found.exit_code == 0, (kind, found.stderr)
    for (kind, path), (width, height) in itertools.product(pages.items(), ((1280, 720), (390, 844))):
        browser.open(path, width, height)
        assert "?" in browser.value("document.querySelector('h1').textContent"), kind
        assert re.search(NUMBER, browser.value(FIRST_SCREEN)), (kind, width, browser.value(FIRST_SCREEN))


@needs_browser
@pytest.mark.nightly
def test_a_page_of_100_000_jobs_is_there_in_three_seconds(browser, tmp_path):
    jobs = 100_000
    boxes = [
        (job, job + 5 + job % 7, job % 512, job % 512 + 1 + job % 40, job % 100, job) for job in range(jobs)
    ]
    begin, end, low, high, value, _ = zip(*boxes, strict=True)
    tips = [f"job {job}" for job in range(jobs)]
    marks = [Boxes(x0=begin, x1=end, y0=low, y1=high, values=value, tips=tips, edge=True)]
    panel = Panel(marks=marks, x=Axis(label="s"), y=Axis(label="node"), shades=Shades(label="w"))
    gantt = Figure(title="jobs", panels=[panel])
    table = DataTable("Jobs", ["job", "nodes"], [[job, 1 + job % 40] for job in range(jobs)])
    text = render(Page("Many?", ["Many."], [], [gantt, table]))
    assert len(text) < MOST_BYTES
    (tmp_path / "page.html").write_text(text)
    browser.open(tmp_path / "page.html", 1280)
    painted = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Infinity"
    assert (
        browser.value(
            f"new Promise((then) => requestAnimationFrame(() => setTimeout(() => then({painted}), 50)))"
        )
        < 3000
    )
    assert browser.value("document.querySelectorAll('[data-figure] canvas').length") > 0


FILTERS = """
(async () => {
  const input = document.querySelector("input[type=search]"), count = document.querySelector(".count");
  return JSON.stringify(["B", "1,234", "1234", "", "nothing"].map((words) => {
    input.value = words;
    input.dispatchEvent(new Event("input"));
    return count.textContent;
  }));
})()
"""


@needs_browser
def test_a_filter_finds_words_and_numbers_as_they_are_shown(browser, tmp_path):
    rows = [[f"row-{number}", number, "ab" if number % 2 else "c"] for number in range(2000)]
    path = tmp_path / "page.html"
    path.write_text(
        render(Page("rows?", ["It holds."], [], [DataTable("rows", ["name", "number", "kind"], rows)]))
    )
    browser.open(path, 1280)
    found = json.loads(browser.value(FILTERS))
    assert [text.split()[2] for text in found] == ["1,000", "1", "1", "2,000", "0"]
