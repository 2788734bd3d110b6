"""What others made is listed: what is vendored, and all that the locks install."""

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_locked_package_and_the_vendored_file_are_listed():
    page = (ROOT / "THIRD-PARTY.md").read_text(encoding="utf-8")
    assert "report/pages/assets/echarts.min.js" in page
    for lock in ("requirements.lock", "requirements-docs.lock"):
        text = (ROOT / lock).read_text(encoding="utf-8")
        for name, version in re.findall(r"^([A-Za-z0-9._-]+)==([^ \\]+)", text, re.MULTILINE):
            assert f"| {name.lower()} | {version} |" in page


def test_the_lock_begins_with_what_netplace_itself_needs():
    script = runpy.run_path(str(ROOT / "scripts" / "order-lock"))
    needs, others = (ROOT / "requirements.lock").read_text(encoding="utf-8").split(script["LINE"])
    first, rest = (re.findall(r"^([A-Za-z0-9._-]+)==", part, re.MULTILINE) for part in (needs, others))
    assert first
    assert set(first) == script["needed"]("netplace") & {*first, *rest}
