"""Files that appear whole or not at all."""

import pytest

from netplace.files import atomic_file
from netplace.report.files.outputs import check_output


def test_a_file_appears_when_it_is_whole(tmp_path):
    path = tmp_path / "x.csv"
    with atomic_file(path) as temporary:
        temporary.write_text("new")
        assert not path.exists()
    assert path.read_text() == "new"
    assert [file.name for file in tmp_path.iterdir()] == ["x.csv"]


def test_what_was_there_survives_an_interruption(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("old")

    def write() -> None:
        with atomic_file(path) as temporary:
            temporary.write_text("half of the n")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["x.csv"]


def test_impossible_names_are_told_at_once(tmp_path):
    assert check_output(tmp_path / "a.PNG", (".png",)) == tmp_path / "a.PNG"
    with pytest.raises(ValueError, match=r"expected a name that ends in \.png or \.pdf"):
        check_output(tmp_path / "a.jpg", (".png", ".pdf"))
    with pytest.raises(ValueError, match=r"the folder .* does not exist"):
        check_output(tmp_path / "b" / "a.png")
    with pytest.raises(ValueError, match="is a folder"):
        check_output(tmp_path)
