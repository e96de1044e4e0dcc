"""Payloads in the HTML report: tooltips, the selection, tables of the tab Statistics."""

import json

import pytest
from archives import Instant, Slice, Warp, archive, run
from payload_runs import BIG, float32, float64, of_kind, tiles

from gwatch import libpygwatch
from gwatch.show.page import Choice
from gwatch.show.views import render_view_facts


@pytest.mark.parametrize(
    ("kind", "bits", "text"),
    [
        ("s32", 0xFFFFFFFF, "-1"),
        ("u32", 0xFFFFFFFF, "4294967295"),
        ("f32", float32(0.1), "0.1"),
        ("f32", float32(16777216.0), "16777216"),
        ("f32", float32(float("-inf")), "-inf"),
        ("s64", 2**64 - 5, "-5"),
        ("s64", 2**63 - 1, str(2**63 - 1)),
        ("u64", BIG, str(BIG)),
        ("f64", float64(-2.5e-9), "-2.5e-9"),
        ("bits", 0xDEADBEEF00, "0xdeadbeef00"),
    ],
)
def test_tooltips_say_what_was_carried(open_report, kind, bits, text):
    report = open_report(archive(of_kind(kind, bits))).wait()
    report.move_to(report.x_of(25, 100), report.y_of(0))
    assert f"payload {text}" in report.tooltip()
    report.move_to(report.x_of(70, 100), report.y_of(0))
    assert report.tooltip()[-1] == f"fill: mark at 70 ns, all 32 threads, payload {text}"


def test_slices_without_a_payload_say_nothing(open_report):
    report = open_report(archive(tiles())).wait()
    report.move_to(report.x_of(7200, 9000), report.y_of(0))
    assert report.tooltip()[0] == "tile"
    assert not any("payload" in line for line in report.tooltip())
    report.move_to(report.x_of(3200, 9000), report.y_of(1))
    assert "payload 3" in report.tooltip()


def test_marks_keep_their_payloads_when_they_are_put_in_order(open_report):
    # The archive has them by lane; here times of one lane go back.
    marks = [Instant(0, time, 0, payload=time) for time in (800, 200, 500)]
    made = run([Warp(0, 0, 0, 1000)], ("fill",), kinds=("u32",), marks=marks)
    report = open_report(archive(made)).wait()
    for time in (200, 500, 800):
        report.move_to(report.x_of(time, 1000), report.y_of(0))
        assert report.tooltip()[-1].endswith(f"payload {time}")


def rows_of(report, label):
    rows = report.texts(f"table[aria-label='{label}'] tbody tr")
    return [[cell.strip() for cell in row.split("\t")] for row in rows]


def test_a_scope_has_a_table_by_value(open_report):
    made = tiles()
    report = open_report(archive(made)).wait().tab("Statistics")
    trace = libpygwatch.from_json(archive(made))
    facts = render_view_facts(trace, Choice(), ["payloads"])["payloads"]
    rows = rows_of(report, "Durations by payload")
    assert [row[0] for row in rows] == ["0", "1", "2", "3"]
    assert rows[0] == ["0", "4", "107 ns", "113.4 ns", "114 ns", "428 ns", "8.4 %"]
    assert [row[1] for row in rows] == [str(v["count"]) for v in facts["slices"][0]["values"]]
    report.page.get_by_role("button", name="mma").click()
    rows = rows_of(report, "Durations by payload")
    assert [row[0] for row in rows] == [f"{0.1 * i:.1g}" for i in range(8)]
    report.page.get_by_role("button", name="plain").click()
    assert rows_of(report, "Durations by payload") == []


def test_the_longest_slice_of_a_value_is_shown(open_report):
    report = open_report(archive(tiles())).wait().tab("Statistics")
    report.page.locator(".durations table").get_by_role("button", name="713 ns").click()
    assert "payload 3" in report.texts(".details .lines > div")


def test_marks_have_a_table(open_report):
    report = open_report(archive(tiles())).wait().tab("Statistics")
    assert rows_of(report, "Values that marks carried") == [["fill", "16", "-2", "1", "5", "8"]]


def test_a_thousand_values_leave_those_with_most_time(open_report):
    slices = [Slice(2000 * i, 2000 * i + 1 + i, 0, payload=i) for i in range(1000)]
    made = run([Warp(0, 0, 0, 2_000_000, slices)], ("work",), kinds=("u32",))
    report = open_report(archive(made)).wait().tab("Statistics")
    rows = rows_of(report, "Durations by payload")
    assert [row[0] for row in rows] == [str(i) for i in range(999, 949, -1)]
    assert "950 more values, with less time" in report.texts(".durations p")


def test_the_selection_says_which_values_it_has(open_report):
    report = open_report(archive(tiles())).wait()
    report.drag((report.x_of(900, 9000), report.y_of(0)), (report.x_of(3900, 9000), report.y_of(0)))
    rows = [row.split("\t") for row in report.texts(".selection tbody tr")]
    ranges = {row[0].strip(): row[-1].strip() for row in rows}
    assert ranges["tile"] == "1 to 3"
    assert ranges["mma"] == "0.1 to 0.3"
    assert ranges["in no scope"] == ""


def test_a_page_without_payloads_has_no_column_of_them(tmp_path, open_report):
    made = run([Warp(0, 0, 0, 100, [Slice(0, 50, 0)])], marks=[Instant(0, 70, 1)])
    page = libpygwatch.to_html(libpygwatch.from_json(archive(made)), "", "", "gwatch test")
    assert "payload" not in page
    report = open_report(archive(made)).wait()
    report.drag((report.x_of(10, 100), report.y_of(0)), (report.x_of(60, 100), report.y_of(0)))
    assert report.texts(".selection thead th")[-1] == "Share"
    facts = json.loads(report.page.locator("#facts").inner_text())
    assert not any("payload" in column["name"] for column in facts["runs"][0]["columns"])
