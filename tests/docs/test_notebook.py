"""The notebook for a lecture runs, cell by cell, and shows what it says."""

import json
from pathlib import Path

from matplotlib import pyplot

NOTEBOOK = Path(__file__).parents[2] / "docs" / "tutorial" / "packet.ipynb"


def test_the_notebook_shows_a_life_two_engines_a_picture_and_a_verdict(capsys):
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    assert len(cells) <= 12
    names, printed = {}, {}
    for cell in cells:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
            printed[cell["id"]] = capsys.readouterr().out
    life, numbers = names["life"], {text.get_text() for text in names["axes"].texts}
    pyplot.close("all")
    assert life.created == life.steps[0].begin < life.steps[-1].end == life.consumed
    assert f"consumed in cycle {life.consumed}" in printed["follow"]
    assert names["kernel"].cycles == names["reference"].cycles
    assert "every link: True" in printed["agree"]
    assert set(map(str, range(16))) <= numbers
    assert min(names["cycles"]["random"]) > max(names["cycles"]["consecutive"])
    assert "clearly more" in printed["draws"]
