"""Every promise of SECURITY.md has tests, which this table names; and the tests of those that had none."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SECURITY = HERE.parents[1] / "SECURITY.md"

TESTS = {
    "Data files never run code.": (
        "test_code.py::test_a_workload_runs_nothing",
        "test_promises.py::test_a_table_that_names_code_runs_nothing",
        "../cosim/test_journal.py::test_a_checkpoint_calls_nothing",
        "../cosim/test_journal.py::test_what_another_user_wrote_or_all_can_write_or_a_link_is_refused",
        "../cosim/test_journal.py::test_every_flipped_bit_is_told",
    ),
    "netplace does not load nearby files.": (
        "test_isolation.py::test_no_module_of_the_folder_is_imported",
        "../architecture/test_dangerous.py::test_each_has_a_reason_and_each_reason_its_place",
    ),
    "Names in CSV files are not formulas.": (
        "test_csv_cells.py::test_every_name_comes_back_and_none_is_a_formula",
        "test_csv_cells.py::test_a_sealed_table_of_run_times_keeps_names_and_checksum",
    ),
    "Result folders do not open other files.": (
        "test_cosim_folder.py::test_a_name_of_a_file_is_not_used_on_a_folders_word",
        "test_cosim_folder.py::test_machines_of_files_behind_others_too",
        "test_cosim_folder.py::test_a_file_that_the_user_says_again_is_used",
        "test_cosim_folder.py::test_a_wiring_that_has_changed_is_told",
    ),
    "Stores do not run queries.": ("test_stores.py::test_a_store_holds_tables_and_no_queries",),
    "netplace checks results.": (
        "test_stores.py::test_what_was_altered_is_told",
        "test_cosim_folder.py::test_every_key_is_checked",
        "test_schedule_folder.py::test_every_key_is_checked",
        "test_schedule_folder.py::test_every_cell_is_checked_though_the_digest_holds",
        "test_study_folder.py::test_damage_is_told",
        "test_printed.py::test_every_key_is_checked_though_the_checksum_holds",
        "test_table_files.py::test_a_table_that_is_not_what_was_written_is_told",
        "test_nothing_lasts.py::test_tables_of_a_run_are_checked_before_they_are_exported",
    ),
    "Every command ends with a result or an error message.": (
        "test_fuzz.py::test_a_few_strange_inputs",
        "test_fuzz.py::test_many_strange_inputs",
        "test_compressed.py::test_a_gzip_bomb_is_refused",
        "test_compressed.py::test_a_flag_raises_the_limit",
        "test_pipes.py::test_no_command_waits_for_a_named_pipe",
        "test_not_utf8.py::test_a_table_with_spoiled_text_is_refused_in_a_sentence",
    ),
    "netplace writes only to the paths that you name": (
        "test_promises.py::test_nothing_is_written_that_nobody_named",
        "test_writing.py::test_links_in_a_folder_of_results_are_not_followed",
        "test_writing.py::test_drafts_cannot_be_foretold_and_are_made_anew",
        "test_caches.py::test_claims_follow_no_link",
        "test_caches.py::test_what_all_can_write_is_not_read",
        "test_caches.py::test_what_of_another_user_is_not_read",
    ),
    "Killed runs lose little.": (
        "test_stopped.py::test_sigterm_says_what_is_kept",
        "test_stopped.py::test_a_store_killed_at_birth_is_a_new_one",
        "test_kills.py::test_commands_killed_at_a_random_instant",
        "test_kills.py::test_commands_with_workers_killed_at_a_random_instant",
        "test_writing.py::test_drafts_of_a_killed_run_are_taken_away_by_the_next_one",
    ),
}


def promises():
    text = SECURITY.read_text(encoding="utf-8").partition("## Guarantees")[2].partition("\n## ")[0]
    return re.findall(r"^\* \*\*(.+?)\*\*", text, re.MULTILINE)


def test_every_promise_has_tests_that_are_there():
    assert promises() == list(TESTS)
    for names in TESTS.values():
        for name in names:
            file, _, function = name.partition("::")
            tree = ast.parse((HERE / file).read_text(encoding="utf-8"))
            assert function in {one.name for one in tree.body if isinstance(one, ast.FunctionDef)}, name


COLUMNS = (
    "application,problem,tasks,network,partition,shape,mapping,settings,count,missing,failed,mean,std,min,max"
)
ROW = {"application": "butterfly", "network": "torus:4x4", "partition": "whole", "mapping": "random"}


@pytest.mark.parametrize("column", list(ROW))
def test_a_table_that_names_code_runs_nothing(netplace, tmp_path, monkeypatch, column):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil.py").write_text("open('ran', 'w')\n\ndef f(*_, **__):\n    raise SystemExit(9)\n")
    row = ROW | {column: "evil.py:f"}
    cells = [
        row["application"],
        "",
        "16",
        row["network"],
        row["partition"],
        "",
        row["mapping"],
        "",
        "1,0,0,9,0,9,9",
    ]
    (tmp_path / "t.csv").write_text(f"{COLUMNS}\n{','.join(cells)}\n")
    (tmp_path / "jobs.csv").write_text(
        "number,submit,nodes,run_time,application\n1,0,16,9,butterfly\n2,0,16,9,evil.py:f\n"
    )
    for line in (
        "plot t.csv -o x.svg",
        "table diff t.csv t.csv",
        "report t.csv -o x.html",
        "compare t.csv t.csv",
        "schedule --machine torus:4x4 --workload jobs.csv --times table:t.csv",
    ):
        assert netplace(*line.split()).exit_code in (0, 1, 2), line
    assert not (tmp_path / "ran").exists()


def test_nothing_is_written_that_nobody_named(tmp_path):
    folders = {name: tmp_path / name for name in ("here", "HOME", "TMPDIR", "XDG_CACHE_HOME")}
    for folder in folders.values():
        folder.mkdir()
    lines = (
        "run --network torus:2x2 --app butterfly -o run.json",
        "schedule --machine torus:4x4 --workload lublin --jobs 5 -o sched",
        "report run.json -o page.html",
        "workload make lublin --nodes 8 --jobs 3 -o jobs.swf",
        "check network torus:4x4",
        "run --network torus:2x2 --app nope",
    )
    code = (
        "from click.testing import CliRunner\nfrom netplace.cli import app\n"
        f"for line in {lines!r}:\n    CliRunner().invoke(app, line.split())\n"
    )
    kept = {"PATH": os.environ["PATH"]}
    outside = {name: str(folder) for name, folder in folders.items() if name != "here"}
    subprocess.run([sys.executable, "-c", code], cwd=folders["here"], env=kept | outside, check=True)
    assert {path.name for path in folders["here"].iterdir()} == {"run.json", "sched", "page.html", "jobs.swf"}
    assert list(folders["TMPDIR"].iterdir()) == []
    written = [
        path for name in ("HOME", "XDG_CACHE_HOME") for path in folders[name].rglob("*") if path.is_file()
    ]
    assert all({"netplace", "matplotlib"} & set(path.parts) for path in written)
