"""The process that reads OTF2 archives ends with whoever asked for it."""

from netplace.apps.formats.otf2_process import Library


def test_nobody_leaves_it_behind(tmp_path):
    library = Library(tmp_path / "none.otf2")
    process = library._process
    del library
    assert process.returncode is not None
