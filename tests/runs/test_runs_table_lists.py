"""Files of tables of one name: classes of a mix, lists of jobs, jobs beside a job."""

import pytest

from netplace.runs.toml_lines import read_table_list


def test_tables_and_what_stands_beside_them(tmp_path):
    path = tmp_path / "mix.toml"
    path.write_text("communication = 0.3\n[[class]]\nweight = 1\n[[class]]\nweight = 2\n")
    found = read_table_list(path, "class", ("communication",))
    assert found.tables == [{"weight": 1}, {"weight": 2}]
    assert found.others == {"communication": 0.3}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", r"mix\.toml: has no \[\[class\]\], expected at least one"),
        ("\nclass = 3\n", r"mix\.toml:2: class is 3, expected tables \[\[class\]\]"),
        ("class = [1, 2]\n", r"mix\.toml:1: class is \[1, 2\], expected tables \[\[class\]\]"),
        ("[class]\nweight = 1\n", r"class is \{'weight': 1\}, expected tables \[\[class\]\]"),
        ("\n\nclas = 3\n", r"mix\.toml:3: unknown key 'clas', expected \[\[class\]\] or communication"),
    ],
)
def test_other_files_are_refused_in_a_sentence(tmp_path, text, sentence):
    path = tmp_path / "mix.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=sentence):
        read_table_list(path, "class", ("communication",))
