"""``gwatch diff``: what it finds, its text, JSON and page, and its exit codes."""

import json
import os
import random
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pytest
from archives import Slice, Warp, archive, run

from gwatch import cli, libpygwatch
from gwatch.diff.html import render_page
from gwatch.diff.model import Limit, diff_traces, match_runs
from gwatch.diff.text import render_diff
from gwatch.show.text import Style

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "data" / "show"
SCHEMA = json.loads((ROOT / "docs" / "diff.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def noisy(seed=1, slower=0, blocks=24, scopes=("load", "dot"), **facts):
    """Make warps that load and compute in turns; each load takes ``slower`` ns more."""
    noise = random.Random(seed)
    warps = []
    for block in range(blocks):
        for warp in range(2):
            slices, time = [], 10
            for _ in range(6):
                load = 200 + noise.randrange(20) + slower
                slices.append(Slice(time, time + load, 0))
                slices.append(Slice(time + load, time + load + 100 + noise.randrange(10), 1))
                time = slices[-1].end_ns
            warps.append(Warp(block, warp, 0, time + 10, slices))
    return run(warps, scopes, **facts)


def read(*runs):
    return libpygwatch.from_json(archive(*runs), "test")


def compare(before, after, **options):
    facts = diff_traces(read(*before), read(*after), **options)
    VALIDATOR.validate(json.loads(json.dumps(facts)))
    return facts


def hostile_pair():
    names = ("<script>alert(1)</script>\x1b[31m", "n" * 10_000 + "\u202e\U0001f600")
    launch = {"kernel": "k<\x07>", "kernel_demangled": "k<int>&\x1b]0;x\x07"}
    return noisy(1, scopes=names, launch=launch), noisy(2, 40, scopes=names, launch=launch)


def huge(end):
    return run([Warp(0, 0, 0, end, [Slice(0, end // 2, 0), Slice(end // 2, end, 1)])])


PAIRS = {
    "equal": ([noisy(1)], [noisy(1)]),
    "slower": ([noisy(1)], [noisy(2, 40)]),
    "other-shape": (
        [noisy(1)],
        [
            noisy(
                2,
                blocks=9,
                scopes=("load", "mma"),
                compile={
                    "original": {
                        "registers": 128,
                        "local_bytes": 16,
                        "spill_store_bytes": 24,
                        "spill_load_bytes": -1,
                        "static_shared_bytes": 0,
                    }
                },
                counts={"dropped_events": 7},
                time={"clock_mhz": 1980.0},
                launch={"device": "NVIDIA B200"},
            )
        ],
    ),
    "hostile": tuple([made] for made in hostile_pair()),
    "one-warp": ([run([Warp(0, 0, 0, 10, [Slice(1, 3, 0)])])],) * 2,
    "no-slices": ([run([Warp(0, 0, 0, 10)])], [noisy(1)]),
    "no-warps": ([run([])], [run([])]),
    "huge": ([huge(2**52)], [huge(1000)]),
    "unmatched": ([noisy(1)], [noisy(1, launch={"kernel": "other"})]),
    "no-runs": ([], [noisy(1)]),
}


@pytest.mark.parametrize("name", ["slower", "other-shape", "hostile", "unmatched"])
def test_text(name):
    shown = render_diff(compare(*PAIRS[name], limit=Limit(5)), Style()) + "\n"
    path = GOLDEN / f"diff-{name}.txt"
    if os.environ.get("GWATCH_REBASE") == "1":
        path.write_text(shown, "utf-8")
    assert shown == path.read_text("utf-8")


@pytest.mark.parametrize("name", PAIRS)
def test_text_is_narrow_short_and_printable(name):
    facts = compare(*PAIRS[name], limit=Limit(5))
    for width in (80, 100):
        lines = render_diff(facts, Style(width)).split("\n")
        assert max(map(len, lines)) <= width
        assert all(line.isprintable() for line in lines)
        assert len(lines) <= 60


class Page(HTMLParser):
    """Collects the tags and the text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.policy, self.words, self._open = set(), "", "", []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if dict(attrs).get("http-equiv") == "Content-Security-Policy":
            self.policy = dict(attrs)["content"]

    def handle_data(self, data):
        self.words += data


@pytest.mark.parametrize("name", PAIRS)
def test_page_loads_and_runs_nothing(name):
    page = Page(render_page(compare(*PAIRS[name], limit=Limit(5))))
    assert page.tags.isdisjoint({"script", "img", "link", "iframe", "object", "a"})
    assert page.policy.startswith("default-src 'none'; style-src 'sha256-")


def test_page_shows_names_as_text_and_figures_as_the_text_does():
    page = Page(render_page(compare(*PAIRS["hostile"])))
    assert "<script>alert(1)</script>" in page.words
    assert "k<int>&" in page.words
    page = Page(render_page(compare(*PAIRS["slower"], limit=Limit(5))))
    assert "FAILED: 2 figures grew by more than 5 %" in page.words
    assert "+18." in page.words or "+19." in page.words


def test_page_is_styled_under_its_own_policy(browser, tmp_path):
    path = tmp_path / "diff.html"
    path.write_text(render_page(compare(*PAIRS["slower"])), "utf-8")
    page = browser.new_page()
    faults = []
    page.on("console", lambda message: faults.append(message.text))
    page.goto(path.as_uri())
    aligned = page.locator("td").nth(1).evaluate("cell => getComputedStyle(cell).textAlign")
    page.close()
    assert aligned == "right"
    assert faults == []


def scope_of(facts, name):
    return next(scope for scope in facts["runs"][0]["scopes"] if scope["name"] == name)


def test_a_scope_that_grew_is_found_and_its_neighbour_is_not():
    facts = compare(*PAIRS["slower"], limit=Limit(5))
    load, dot = scope_of(facts, "load"), scope_of(facts, "dot")
    assert load["p50_ns"]["verdict"] == "higher"
    assert load["p50_ns"]["change_percent"] == pytest.approx(100 * 40 / 210, abs=2)
    assert 0 < load["p50_ns"]["difference_low"] <= 40 <= load["p50_ns"]["difference_high"] + 2
    assert dot["p50_ns"]["verdict"] == "same"
    assert {(entry["scope"], entry["metric"]) for entry in facts["over_limit"]} == {
        ("load", "p50"),
        ("load", "total"),
    }
    assert compare(*PAIRS["slower"], limit=Limit(30))["over_limit"] == []


def test_equal_traces_have_nothing_over_any_limit():
    facts = compare(*PAIRS["equal"], limit=Limit(0, ("p50", "p95", "total", "lifetime")))
    assert facts["over_limit"] == []
    assert scope_of(facts, "load")["p50_ns"]["change_percent"] == 0


def test_growth_without_an_interval_is_not_over_a_limit():
    before = [run([Warp(0, 0, 0, 10, [Slice(1, 3, 0)])])]
    after = [run([Warp(0, 0, 0, 10, [Slice(1, 9, 0)])])]
    facts = compare(before, after, limit=Limit(5))
    assert scope_of(facts, "load")["p50_ns"]["verdict"] == "unknown"
    assert facts["over_limit"] == []


def test_the_lifetime_of_warps_can_be_limited():
    facts = compare(*PAIRS["slower"], limit=Limit(5, ("lifetime",)))
    assert [(entry["scope"], entry["metric"]) for entry in facts["over_limit"]] == [
        (None, "lifetime")
    ]


def test_the_same_seed_gives_the_same_intervals():
    first, again = (compare(*PAIRS["slower"], seed=5) for _ in range(2))
    assert first == again
    assert first["runs"] != compare(*PAIRS["slower"], seed=6)["runs"]


def test_what_makes_traces_hard_to_compare_is_said():
    cautions = " ".join(compare(*PAIRS["other-shape"])["runs"][0]["cautions"])
    for text in ("devices differ", "grid differs", "clocks differ", "7 events", "warps differ"):
        assert text in cautions


def test_scopes_of_one_side_only_are_named():
    facts = compare(*PAIRS["other-shape"])
    assert not scope_of(facts, "dot")["in_after"]
    assert not scope_of(facts, "mma")["in_before"]
    text = render_diff(facts, Style())
    assert "only before scopes dot" in text
    assert "only after  scopes mma" in text


def named(*kernels):
    return read(*(run([], launch={"kernel": kernel}) for kernel in kernels))


def test_runs_match_by_kernel_and_order():
    pairs, only_before, only_after = match_runs(named("a", "b", "a", "a"), named("a", "c", "a"))
    assert pairs == [(0, 0), (2, 2)]
    assert only_before == [1, 3]
    assert only_after == [1]


def test_what_only_one_side_has_is_listed_up_to_a_limit():
    slices = [Slice(i, i + 1, i) for i in range(40)]
    many = [
        *(run([], launch={"kernel": f"kernel_{i}" + "k" * 3000}) for i in range(30)),
        run([Warp(0, 0, 0, 900, slices)], ["s" * 900 + str(i) for i in range(40)]),
    ]
    few = [run([Warp(0, 0, 0, 9, [Slice(0, 9, 0)])], ["other"])]
    lines = render_diff(compare(few, many), Style()).split("\n")
    assert sum("only after: run" in line for line in lines) == 15
    assert "only after: 15 more runs (--limit, --json)" in lines
    assert "30 more scopes" in " ".join(lines)
    assert max(map(len, lines)) <= 100
    assert len(lines) <= 60


def test_of_many_runs_those_that_changed_are_shown():
    def runs(slower):
        facts = [(f"kernel_{i}", slower if i == 17 else 0) for i in range(20)]
        return [noisy(i, ns, 8, launch={"kernel": name}) for i, (name, ns) in enumerate(facts)]

    text = render_diff(compare(runs(0), runs(40), limit=Limit(5)), Style())
    assert text.count("\nkernel      ") == 6
    assert "kernel      _kernel (run 18)" in text
    assert "\n14 more runs with less change (--json, --html)\n" in text
    assert "\n  run 18, load: p50 +" in text


def test_figures_over_the_limit_are_listed_up_to_a_number():
    names = [f"stage_{i}" for i in range(30)]

    def stages(length):
        slices = [Slice(100 * i, 100 * i + length, i) for i in range(30)]
        return run([Warp(block, 0, 0, 3000, slices) for block in range(12)], names)

    facts = compare([stages(50)], [stages(80)], limit=Limit(5))
    assert len(facts["over_limit"]) == 60
    assert "  40 more figures (--json)\n" in render_diff(facts, Style())


@pytest.fixture
def files(tmp_path):
    paths = []
    for name, made in (("a.json", noisy(1)), ("b.json", noisy(2, 40))):
        paths.append(str(tmp_path / name))
        Path(paths[-1]).write_text(archive(made), "utf-8")
    return paths


def test_command_exits_with_0_without_a_limit(files, capsys):
    assert cli.main(["diff", *files]) == 0
    assert "Slower by their median (p50): load" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("limit", "code"), [("5%", 1), ("5", 1), ("5.5 %", 1), ("50%", 0), ("0", 1)]
)
def test_command_exits_with_1_over_the_limit(files, capsys, limit, code):
    assert cli.main(["diff", *files, "--fail-over", limit]) == code
    assert ("FAILED" in capsys.readouterr().out) == (code == 1)


def test_command_takes_no_faster_trace_for_a_slower_one(files):
    assert cli.main(["diff", *reversed(files), "--fail-over", "5%"]) == 0


def test_command_prints_json_and_writes_a_page(files, tmp_path, capsys):
    page = tmp_path / "out.html"
    assert cli.main(["diff", *files, "--json", "--html", str(page), "--fail-over", "5%"]) == 1
    facts = json.loads(capsys.readouterr().out)
    VALIDATOR.validate(facts)
    assert (facts["before"], facts["after"]) == ("a.json", "b.json")
    assert page.read_text("utf-8") == render_page(facts)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fail-over", "much"], "--fail-over cannot be 'much'"),
        (["--fail-over", "5%", "--metric", "p99"], "no metric is named 'p99'"),
        (["--limit", "0"], "--limit must be 1 or more"),
        (["--seed", "-1"], "--seed from 0 to"),
        (["--seed", str(2**64)], "--seed from 0 to"),
        (["--html", "/nowhere/out.html"], "cannot write '/nowhere/out.html'"),
    ],
)
def test_command_exits_with_2_for_what_it_cannot_use(files, capsys, arguments, message):
    assert cli.main(["diff", *files, *arguments]) == 2
    assert message in capsys.readouterr().err


def test_command_exits_with_2_for_a_broken_file(files, tmp_path, capsys):
    broken = tmp_path / "broken.json"
    broken.write_text("{", "utf-8")
    assert cli.main(["diff", files[0], str(broken)]) == 2
    assert "broken.json" in capsys.readouterr().err
