"""Numbers of flags, files and settings: out of range is one short sentence that names the flag."""

import pytest
from answers import refused

from netplace.inputs import MOST, abbreviate, check_choice, check_float, check_int, printable, shortened

RUN = "run --network torus:4x4 --app butterfly"
HUGE, LONG = str(2**63), "9" * 5000


@pytest.mark.parametrize(
    ("line", "flag"),
    [
        (f"{RUN} --seeds {LONG}", "--seeds"),
        (f"{RUN} --cycle-ns 1e308", "--cycle-ns"),
        (f"{RUN} --max-cycles {HUGE}", "--max-cycles"),
        (f"load --network torus:4x4 --vcs {HUGE}", "--vcs"),
        ("load --network torus:4x4 --hot-share 1e400", "--hot-share"),
        ("schedule --machine torus:4x4 --workload lublin --times slowed:1e308", "factor"),
        (f"workload make lublin --nodes {2**62}", "nodes"),
    ],
    ids=lambda text: text[:60],
)
def test_a_number_out_of_range_is_one_sentence(netplace, line, flag):
    refused(netplace(*line.split()), flag)


@pytest.mark.parametrize("value", [2**62 + 1, "1e3", True, None, [], "", LONG, 10**5000], ids=lambda _: "")
def test_no_whole_number_is_refused_in_short(value):
    with pytest.raises(ValueError, match=r"^here: ") as caught:
        check_int(value, "here")
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("value", [float("inf"), "nan", "x", True, None, [], 10**400, LONG], ids=lambda _: "")
def test_no_number_is_refused_in_short(value):
    with pytest.raises(ValueError, match=r"^here: ") as caught:
        check_float(value, "here")
    assert len(str(caught.value)) < 200


def test_bounds_themselves_are_taken():
    assert check_int(str(MOST), "here") == MOST
    assert check_int(0, "here", 0, 0) == 0
    assert check_float("1.5", "here", 1.5, 1.5) == 1.5


@pytest.mark.parametrize("value", [1.5, None, ["a"], "b" * 5000])
def test_a_name_that_is_none_is_told_in_short(value):
    with pytest.raises(ValueError, match=r"^key: unknown name") as caught:
        check_choice(value, [f"name{number}" for number in range(5000)], "key")
    assert len(str(caught.value)) < 1000


def test_what_is_shown_is_short_and_harmless():
    assert abbreviate("short") == "'short'"
    assert len(abbreviate("a" * 9000)) == 60
    assert len(abbreviate(10**5000)) <= 60
    assert "\x1b" not in printable("\x1b[2J\x07")
    assert printable("two\nlines, ä") == "two\nlines, ä"
    assert len(shortened("x" * 9000 + " y")) < 100
    assert len(shortened("word " * 9000)) <= 3000
