"""A folder of a study whose tables are not those that it wrote is told, with the file."""

import pandas as pd
import pytest
from answers import refused

from netplace.report.files.study_tables import FILE
from netplace.studies.report import Report, ReportTable, write

COMMAND = "netplace study x"


@pytest.fixture
def folder(tmp_path):
    frame = pd.DataFrame({"machine": ["torus", "tree"], "ms": [1.5, 2.5]})
    made = ReportTable(name="times", title="Times", frame=frame, digits={"ms": 1})
    write(Report((made,), ("One takes longer.",)), tmp_path, "A study", COMMAND, "none")
    return tmp_path


def test_what_was_written_is_read(netplace, folder):
    assert netplace("compare", folder, folder).exit_code == 0
    (folder / FILE).unlink()  # as folders were without
    assert netplace("compare", folder, folder).exit_code == 0


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("times.csv", "2.5", "3.5", "times.csv: has changed since the study wrote it"),
        (FILE, "times.csv", "../x.csv", "checksum"),
        (FILE, '"version": 1', '"version": 2', "version"),
    ],
)
@pytest.mark.parametrize("command", ["compare", "report"])
def test_damage_is_told(netplace, folder, command, name, old, new, said):
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new))
    page = folder / "page.html"
    refused(netplace(command, folder, *([folder] if command == "compare" else ["-o", page])), said)
    assert not page.exists()
