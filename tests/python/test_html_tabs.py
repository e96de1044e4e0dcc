"""The tabs Overview, Statistics and Source of the HTML report."""

import csv
import io
from types import SimpleNamespace

import pytest
from archives import Slice, Warp, archive, pipelined_warps, run
from report_page import SCOPES, simple_run

from gwatch import libpygwatch
from gwatch.common.format import File
from gwatch.show import units


def names(report):
    return [text.split()[0] for text in report.texts(".statistics tbody th")]


def copied(report, button):
    """Press a button that copies, in a browser that lets the page copy."""
    report.page.evaluate(
        """navigator.clipboard.writeText = async (text) => { window.copied = text; }"""
    )
    report.page.get_by_role("button", name=button).click()
    return report.page.evaluate("window.copied")


def test_tabs_follow_the_keyboard(open_report):
    report = open_report(archive(simple_run())).wait()
    tabs = report.page.get_by_role("tab")
    assert tabs.all_inner_texts() == ["Overview", "Timeline", "Statistics", "Source"]
    assert report.page.locator("[role=tab][aria-selected=true]").inner_text() == "Timeline"
    tabs.nth(1).focus()
    for key, name in (
        ("ArrowRight", "Statistics"),
        ("End", "Source"),
        ("ArrowRight", "Overview"),
        ("ArrowLeft", "Source"),
        ("Home", "Overview"),
    ):
        report.press(key)
        selected = report.page.locator("[role=tab][aria-selected=true]")
        assert selected.inner_text() == name
        assert report.page.evaluate("document.activeElement.innerText") == name
        panels = report.page.locator("[role=tabpanel]:visible")
        assert panels.count() == 1
        assert panels.get_attribute("aria-labelledby") == selected.get_attribute("id")


def test_statistics_are_those_of_the_archive(open_report):
    text = archive(run(pipelined_warps(50, 4), SCOPES))
    report = open_report(text).wait().tab("Statistics")
    statistics = libpygwatch.scope_statistics(libpygwatch.from_json(text, "trace").runs[0])
    ordered = sorted(statistics, key=lambda entry: -entry.total_ns)
    rows = [row.split("\t") for row in report.texts(".statistics tbody tr")]
    assert names(report) == [SCOPES[entry.scope] for entry in ordered]
    for row, entry in zip(rows, ordered, strict=True):
        assert row[1].strip() == f"{entry.count:,}"
        assert row[3].strip() == f"{entry.min_ns} ns"
        assert row[7].strip() == f"{entry.max_ns} ns"
        assert row[8].strip() == units.duration(entry.total_ns).replace("us", "\u00b5s")


def test_header_sorts_the_table(open_report):
    report = open_report(archive(run(pipelined_warps(5, 4), SCOPES))).wait().tab("Statistics")
    report.page.get_by_role("button", name="Min", exact=True).click()
    assert names(report) == ["dot", "load_kv", "issue"]
    assert report.page.locator("th[aria-sort=descending]").inner_text().startswith("Min")
    report.page.get_by_role("button", name="Min", exact=True).click()
    assert names(report) == ["issue", "load_kv", "dot"]
    report.page.get_by_role("button", name="Scope", exact=True).click()
    assert names(report) == ["dot", "issue", "load_kv"]
    assert report.page.locator("th[aria-sort=ascending]").inner_text().startswith("Scope")


def test_filter_keeps_scopes_with_the_text(open_report):
    report = open_report(archive(simple_run())).wait().tab("Statistics")
    report.page.get_by_label("Filter scopes").fill("O")
    assert sorted(names(report)) == ["dot", "load_kv"]
    report.page.get_by_label("Filter scopes").fill("zzz")
    assert report.texts(".statistics tbody td") == ["No scope has such a name."]


def test_copy_csv_gives_exact_figures(open_report):
    scopes = ('a "quoted", name', "dot", "issue")
    warps = [Warp(0, 0, 0, 1000, [Slice(0, 100, 0), Slice(100, 600, 1), Slice(600, 601, 1)])]
    report = open_report(archive(run(warps, scopes))).wait().tab("Statistics")
    rows = list(csv.DictReader(io.StringIO(copied(report, "Copy CSV"))))
    assert [row["scope"] for row in rows] == ["dot", scopes[0]]
    assert rows[0] | {"scope": ""} == {
        "scope": "",
        "count": "2",
        "warps": "1",
        "min_ns": "1",
        "p50_ns": "250.5",
        "mean_ns": "250.5",
        "p95_ns": "475.05",
        "max_ns": "500",
        "total_ns": "501",
        "share_of_warp_time": "0.501",
        "self_share_of_warp_time": "0.501",
    }


def test_copy_markdown_is_a_table_of_what_is_shown(open_report):
    warps = [Warp(0, 0, 0, 1000, [Slice(0, 100, 0), Slice(100, 600, 1)])]
    report = open_report(archive(run(warps, ("a|b", "dot")))).wait().tab("Statistics")
    report.page.get_by_label("Filter scopes").fill("a")
    lines = copied(report, "Copy Markdown").splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("| Scope | Count |")
    assert set(lines[1]) == set("| -:")
    assert lines[2].startswith(r"| a\|b | 1 | 1 | 100 ns |")
    assert lines[2].endswith("| 10.0 % | 10.0 % |")


def test_where_copying_is_refused_the_text_is_shown(open_report):
    report = open_report(archive(simple_run())).wait().tab("Statistics")
    report.page.evaluate(
        "() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }"
    )
    report.page.get_by_role("button", name="Copy CSV").click()
    text = report.page.get_by_role("dialog").get_by_label("Text to copy").input_value()
    assert text.startswith("scope,count,")
    report.press("Escape")
    assert report.page.get_by_role("dialog").count() == 0


def test_histogram_counts_each_slice_once(open_report):
    slices, time = [], 0
    for duration in [*range(100, 200), 5000]:
        slices.append(Slice(time, time + duration, 1))
        time += duration
    report = open_report(archive(run([Warp(0, 0, 0, time, slices)], SCOPES))).wait()
    report.tab("Statistics")
    bins = report.page.evaluate(
        "[...document.querySelectorAll('.histogram .column')].map((column) => column.title)"
    )
    counts = [int(title.split(": ")[1].split()[0]) for title in bins]
    assert sum(counts) == 101
    assert counts[-1] == 1
    assert max(counts[1:-1]) > 1
    label = report.page.get_by_role("img").get_attribute("aria-label")
    assert label.startswith("Durations of dot: most often ")
    heights = report.page.evaluate(
        "[...document.querySelectorAll('.histogram .some')].map((bar) => bar.offsetHeight)"
    )
    assert min(heights) >= 2


def test_a_scope_that_is_chosen_shows_its_durations(open_report):
    report = open_report(archive(simple_run())).wait().tab("Statistics")
    assert report.texts(".durations h2") == ["Durations of dot"]
    report.page.locator(".statistics").get_by_role("button", name="issue").click()
    assert report.texts(".durations h2") == ["Durations of issue"]
    assert report.texts(".durations li") == ["100 ns block 0, warp 0, at 200 ns"]


def test_a_click_jumps_to_the_longest_slice(open_report):
    report = open_report(archive(simple_run())).wait().tab("Statistics")
    row = report.page.locator(".statistics tbody tr", has_text="dot")
    row.get_by_role("button", name="590 ns").click()
    assert report.page.get_by_role("tab", name="Timeline").get_attribute("aria-selected") == "true"
    panel = report.page.get_by_role("region", name="Pinned slice").inner_text()
    assert panel.startswith("dot")
    assert "590 ns" in panel
    report.tab("Statistics")
    report.page.locator(".durations").get_by_role("button", name="380 ns").click()
    assert "380 ns" in report.page.get_by_role("region", name="Pinned slice").inner_text()


def test_overview_shows_warnings_first_and_every_tab_the_first(open_report):
    text = archive(
        simple_run(
            warnings=["12 events were dropped.", "The grid was sampled."],
            counts={"dropped_events": 12, "orphan_starts": 1, "orphan_ends": 1},
            compile={"remarks": ["C7510: wgmma was serialized"]},
        )
    )
    report = open_report(text).wait()
    banner = report.page.locator(".first-warning button")
    assert banner.inner_text() == "12 events were dropped. \u2026 and 2 more warnings"
    banner.click()
    assert report.texts(".warnings li") == [
        "12 events were dropped.",
        "The grid was sampled.",
        "Assembler: C7510: wgmma was serialized",
    ]
    first = report.page.evaluate("document.querySelector('#panel-overview > *').className")
    assert first == "warnings"
    assert "12 events" in report.texts(".facts dd.alarm")
    assert "1 start, 1 end" in report.texts(".facts dd.alarm")


def test_overview_tells_launch_and_build(open_report):
    report = open_report(archive(simple_run())).wait().tab("Overview")
    facts = dict(zip(report.texts(".facts dt"), report.texts(".facts dd"), strict=True))
    assert facts["Grid"] == "1 \u00d7 1 \u00d7 1 = 1 block"
    assert facts["Registers"] == "118 \u2192 121 a thread"
    assert facts["Warps recorded"] == "2 of 2"
    assert facts["Span"] == "1.000 \u00b5s"
    assert "NVIDIA H200" in facts["Device"]


def test_most_gap_button_shows_that_gap(open_report):
    report = open_report(archive(run(pipelined_warps(100, 4), SCOPES))).wait().tab("Overview")
    report.page.locator(".pipeline li button").first.click()
    assert report.shares()["in no scope"] > 0.05
    assert " ns from " in report.status()
    assert report.shown_times() is not None


SOURCE = """import triton

def kernel():
    start("load_kv")
    x = load()  # <script>alert(1)</script>
    end("load_kv")
    start("dot")
"""


@pytest.fixture
def source_archive(tmp_path):
    """An archive that names a source file, which is there."""

    def make(name="kernel.py", text=SOURCE, lines=(4, 7)):
        path = tmp_path / name
        path.write_text(text, "utf-8")
        made = run([Warp(0, 0, 0, 1000, [Slice(0, 250, 0), Slice(250, 1000, 1)])], SCOPES[:2])
        made["scopes"] = [
            {"name": scope, "id": -1, "file": str(path), "line": line}
            for scope, line in zip(SCOPES, lines, strict=False)
        ]
        return archive(made)

    return make


def test_source_shows_lines_with_their_share_of_time(open_report, source_archive):
    report = open_report(source_archive()).wait().tab("Source")
    rows = [row.split("\t") for row in report.texts(".source tbody tr")]
    assert [row[0] for row in rows] == [str(line) for line in range(1, 8)]
    assert rows[4][2] == "    x = load()  # <script>alert(1)</script>"
    assert rows[3][1].strip().startswith("25.0 %")
    assert rows[6][1].strip().startswith("75.0 %")
    assert "load_kv" in rows[3][2]
    report.page.get_by_role("button", name="dot").click()
    assert report.page.get_by_role("region", name="Pinned slice").inner_text().startswith("dot")


def test_source_shows_only_lines_around_scopes(open_report, source_archive):
    text = "".join(f"line {number}\n" for number in range(1, 201))
    report = open_report(source_archive(text=text, lines=(50, 150))).wait().tab("Source")
    numbers = report.texts(".source tbody tr td:first-child")
    assert numbers == [*map(str, range(42, 59)), "\u22ee", *map(str, range(142, 159))]


def test_source_that_was_changed_after_the_trace_says_so(open_report, source_archive):
    # The archive was made in 2026, the file just now or later; and the other way round.
    text = source_archive()
    old = text.replace("2026-11-30T12:00:00Z", "2020-01-01T00:00:00Z")
    new = text.replace("2026-11-30T12:00:00Z", "2099-01-01T00:00:00Z")
    words = "The file was changed after the trace was taken: lines may have moved."
    assert words in open_report(old).wait().tab("Source").texts(".source .alarm")
    assert open_report(new).wait().tab("Source").texts(".source .alarm") == []


def test_only_source_files_are_put_into_the_page(open_report, source_archive):
    report = open_report(source_archive("secrets.txt")).wait().tab("Source")
    assert report.page.content().count("alert(1)") == 0
    assert [row.split("\t")[0] for row in report.texts(".source tbody tr")] == ["4", "7"]
    assert "is not in the report" in report.texts(".source .faint")[0]


def test_source_stays_out_when_told_so(source_archive, tmp_path):
    trace = libpygwatch.from_json(source_archive(), "trace")
    for embed in (True, False):
        section = SimpleNamespace(runs=trace.runs)
        report = File(embed_source=embed)
        report.add_section(section)
        report.render(tmp_path / "page.html")
        assert ("x = load()" in (tmp_path / "page.html").read_text("utf-8")) == embed


def test_scopes_without_lines_say_so(open_report):
    made = simple_run()
    for scope in made["scopes"]:
        scope |= {"file": "", "line": 0}
    report = open_report(archive(made)).wait().tab("Source")
    assert "no scope knows its source line" in report.texts("#panel-source")[0]
