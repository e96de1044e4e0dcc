"""Links of the documentation lead somewhere."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[[^\]]*\]\(([^)#]+)[^)]*\)")
CODE = re.compile(r"```.*?```", re.DOTALL)
PAGES = subprocess.run(
    ["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True
).stdout.splitlines()


@pytest.mark.parametrize("page", PAGES)
def test_relative_links_lead_to_files(page):
    prose = CODE.sub("", (ROOT / page).read_text("utf-8"))
    links = LINK.findall(prose)
    relative = [link for link in links if "://" not in link]

    assert [link for link in relative if not (ROOT / page).parent.joinpath(link).exists()] == []
