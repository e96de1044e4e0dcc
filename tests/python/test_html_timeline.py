"""The timeline of the HTML report: every gesture, key and control does what it says."""

import pytest
from archives import Instant, Slice, Warp, archive, pipelined_warps, run
from report_page import AXIS_HEIGHT, LABEL_WIDTH, SCOPES, simple_run


def many(blocks=100, warps=4):
    return archive(run(pipelined_warps(blocks, warps), SCOPES))


def ordered_run():
    """Make four blocks of two warps whose orders by block, start, SM and time in a scope differ."""
    warps = []
    for block, (begin, sm, load) in enumerate(
        [(30, 2, 100), (0, 1, 300), (10, 2, 400), (20, 0, 200)]
    ):
        for warp in range(2):
            time = begin + warp
            slices = [Slice(time, time + load + warp, 0), Slice(time + load + warp, time + 500, 1)]
            warps.append(Warp(block, warp, time, time + 500, slices, sm))
    return run(warps, SCOPES)


def test_hover_tells_scope_duration_cycles_and_warp(open_report):
    report = open_report(archive(simple_run())).wait()
    assert not report.page.locator(".tooltip").is_visible()
    report.move_to(report.x_of(250, 1000), report.y_of(0))
    assert report.tooltip() == [
        "issue",
        "100 ns \u2248 176 cycles",
        "from 200 to 300 ns",
        "block 0 (0, 0, 0), warp 0, SM 0",
        "thread 0",
        "/home/user/kernel.py:12",
        "also open: load_kv, 400 ns, all 32 threads",
    ]
    report.move_to(report.x_of(950, 1000), report.y_of(0))
    assert report.tooltip()[:3] == [
        "In no scope",
        "100 ns \u2248 176 cycles",
        "from 900 to 1,000 ns",
    ]
    report.move_to(40, 10)
    assert not report.page.locator(".tooltip").is_visible()


def test_tooltip_compares_with_the_scopes_median(open_report):
    slices = [Slice(10 * i, 10 * i + 4, 0) for i in range(9)] + [Slice(500, 900, 0)]
    report = open_report(archive(run([Warp(0, 0, 0, 1000, slices)], SCOPES))).wait()
    report.move_to(report.x_of(700, 1000), report.y_of(0))
    assert "100 \u00d7 the median of 10 slices" in report.tooltip()


def test_control_wheel_zooms_time_at_the_pointer_and_0_comes_back(open_report):
    report = open_report(archive(simple_run())).wait()
    assert report.status().startswith("1.000 \u00b5s from 0 ns")
    report.move_to(600, 40)
    before = report.tooltip()
    report.wheel(-400, "Control")
    assert report.status().startswith("49")
    report.move_to(601, 40)
    assert report.tooltip() == before
    report.press("0")
    assert report.status().startswith("1.000 \u00b5s from 0 ns")


def test_control_shift_wheel_zooms_rows(open_report):
    report = open_report(many()).wait()
    assert "400 of 400 warps" in report.status()
    report.move_to(600, 200)
    report.wheel(-600, "Control", "Shift")
    shown = int(report.status().split("\u00b7 ")[1].split(" of")[0])
    assert 100 < shown < 200
    times = report.shown_times()
    assert times is None


def test_wheel_scrolls_rows_and_shift_wheel_time(open_report):
    report = open_report(many(), fragment="#time=500:900&from=100:20").wait()
    report.move_to(600, 200)
    report.wheel(100)
    assert float(report.address()["from"].split(":")[0]) == pytest.approx(105, abs=0.01)
    report.wheel(100, "Shift")
    begin, end = report.shown_times()
    assert begin > 520
    assert end - begin == pytest.approx(400, abs=0.1)


def test_shift_drag_pans(open_report):
    report = open_report(many(), fragment="#time=500:900&from=100:20").wait()
    report.drag((700, 300), (600, 260), "Shift")
    address = report.address()
    begin, _ = report.shown_times()
    width = report.overlay()["width"] - LABEL_WIDTH
    assert begin == pytest.approx(500 + 100 * 400 / width, abs=0.5)
    assert float(address["from"].split(":")[0]) == pytest.approx(102, abs=0.01)
    assert "select" not in address


def test_drag_selects_and_shows_statistics_of_the_selection(open_report):
    report = open_report(archive(simple_run())).wait()
    x = [report.x_of(time, 1000) for time in (150, 650)]
    report.drag((x[0], report.y_of(0)), (x[1], report.y_of(0)))
    panel = report.page.get_by_role("region", name="Selection")
    assert "1 row" in panel.inner_text()
    rows = {
        cells[0]: cells[1:]
        for cells in (r.split("\t") for r in report.texts(".selection tbody tr"))
    }
    # [150, 650) of the first warp: load_kv to 500 with issue inside, then a gap of 20, then dot.
    assert rows["load_kv"][0].strip() == "1"
    assert float(rows["load_kv"][1].split()[0]) == pytest.approx(350, abs=2)
    assert float(rows["load_kv"][2].split()[0]) == pytest.approx(250, abs=2)
    assert float(rows["dot"][2].split()[0]) == pytest.approx(130, abs=2)
    assert float(rows["issue"][3].split()[0]) == pytest.approx(20, abs=0.4)
    assert float(rows["in no scope"][2].split()[0]) == pytest.approx(20, abs=2)
    report.press("Escape")
    assert not panel.is_visible()


def test_drag_on_the_axis_selects_all_rows(open_report):
    report = open_report(many(3)).wait()
    report.drag((300, 10), (600, 12))
    assert "12 rows" in report.page.get_by_role("region", name="Selection").inner_text()
    report.page.get_by_role("button", name="Clear").click()
    assert "select" not in report.address()


def test_f_zooms_to_the_selection(open_report):
    report = open_report(archive(simple_run())).wait()
    x = [report.x_of(time, 1000) for time in (200, 400)]
    report.drag((x[0], 40), (x[1], 40))
    report.press("f")
    begin, end = report.shown_times()
    assert (begin, end) == (pytest.approx(200, abs=8), pytest.approx(400, abs=8))


@pytest.mark.parametrize(
    ("key", "moves"),
    [
        ("w", lambda old, new: new[0] > old[0] and new[1] < old[1]),
        ("s", lambda old, new: new[0] < old[0] and new[1] > old[1]),
        ("a", lambda old, new: new[0] < old[0] and new[1] < old[1]),
        ("d", lambda old, new: new[0] > old[0] and new[1] > old[1]),
        ("ArrowLeft", lambda old, new: new[0] < old[0] and new[1] < old[1]),
        ("ArrowRight", lambda old, new: new[0] > old[0] and new[1] > old[1]),
    ],
)
def test_keys_move_and_zoom_in_time(open_report, key, moves):
    report = open_report(many(), fragment="#time=500:900").wait()
    report.press(key)
    assert moves((500, 900), report.shown_times())


def test_keys_move_and_zoom_rows(open_report):
    report = open_report(many(), fragment="#from=100:20").wait()
    top, height = 100.0, 20.0
    for key, moved, grown in (
        ("ArrowDown", 1, 0),
        ("ArrowUp", -1, 0),
        ("+", None, 1),
        ("-", None, -1),
    ):
        report.press(key)
        new_top, new_height = (float(part) for part in report.address()["from"].split(":"))
        if moved is not None:
            assert (new_top - top) * moved > 0
        assert (new_height > height) - (new_height < height) == grown
        top, height = new_top, new_height


def test_buttons_zoom_and_fit(open_report):
    report = open_report(many()).wait()
    whole = report.status()
    for name in ("Time +", "Rows +"):
        before = report.status()
        report.page.get_by_role("button", name=name, exact=True).click()
        assert report.status() != before
    for name in ("Time \u2212", "Rows \u2212"):
        report.page.get_by_role("button", name=name, exact=True).click()
    assert report.status() == whole
    report.page.get_by_role("button", name="Time +", exact=True).click()
    report.page.get_by_role("button", name="Fit", exact=True).click()
    assert report.status() == whole


def test_click_pins_a_slice_and_keys_go_on_from_it(open_report):
    report = open_report(archive(simple_run())).wait()
    report.click(report.x_of(700, 1000), report.y_of(0))
    panel = report.page.get_by_role("region", name="Pinned slice")
    lines = lambda: panel.inner_text().splitlines()  # noqa: E731
    assert lines()[0] == "dot"
    assert "380 ns \u2248 667 cycles" in lines()
    for key, name, place in (
        ("]", "dot", "warp 1"),
        ("[", "dot", "warp 0"),
        (",", "issue", "warp 0"),
        (",", "load_kv", "warp 0"),
        ("j", "load_kv", "warp 1"),
        (".", "dot", "warp 1"),
        ("k", "load_kv", "warp 0"),
    ):
        report.press(key)
        assert lines()[0] == name, key
        assert any(place in line for line in lines()), key
    report.press("Escape")
    assert not panel.is_visible()


def test_double_click_zooms_to_the_slice(open_report):
    report = open_report(archive(simple_run())).wait()
    report.page.mouse.dblclick(*report.point(report.x_of(250, 1000), report.y_of(0)))
    begin, end = report.shown_times()
    assert (begin, end) == (pytest.approx(185, abs=1), pytest.approx(315, abs=1))


def test_a_label_opens_a_warp_to_its_threads_and_closes_it(open_report):
    report = open_report(archive(simple_run())).wait()
    report.click(60, report.y_of(0))
    assert "of 34 rows" in report.status()
    assert report.address()["threads"] == "0"
    report.click(60, AXIS_HEIGHT + 4)
    assert "2 of 2 warps" in report.status()


def test_e_opens_the_pinned_warp(open_report):
    report = open_report(archive(simple_run()), fragment="#pin=3").wait()
    report.press("e")
    assert report.address()["threads"] == "1"
    report.press("e")
    assert "threads" not in report.address()


def test_blocks_fold_their_warps_and_open(open_report):
    report = open_report(many(5)).wait()
    report.page.get_by_role("radio", name="Blocks").check(force=True)
    assert "5 of 5 rows" in report.status()
    report.click(60, report.y_of(2))
    assert "9 of 9 rows" in report.status()
    assert report.address()["open"] == "2"
    report.page.get_by_role("radio", name="Warps").check(force=True)
    assert "20 of 20 warps" in report.status()


@pytest.mark.parametrize(
    ("sort", "blocks"),
    [("block", [0, 1, 2, 3]), ("start", [1, 2, 3, 0]), ("SM, then start", [3, 1, 2, 0])],
)
def test_rows_are_sorted(open_report, sort, blocks):
    report = open_report(archive(ordered_run())).wait()
    report.page.get_by_label("Sort by").select_option(label=sort)
    expected = [f"block {block}, warp {warp}" for block in blocks for warp in range(2)]
    assert report.shown_blocks() == expected


def test_rows_are_sorted_by_the_time_in_a_scope(open_report):
    report = open_report(archive(ordered_run())).wait()
    report.page.get_by_label("Sort by").select_option(label="load_kv")
    expected = [f"block {block}, warp {warp}" for block in (2, 1, 3, 0) for warp in (1, 0)]
    assert report.shown_blocks() == expected
    assert report.address()["sort"] == "scope:0"


def test_filters_keep_what_they_name(open_report):
    report = open_report(archive(ordered_run())).wait()
    fields = [report.page.get_by_role("textbox", name=name) for name in ("Blocks", "Warps", "SMs")]
    blocks, warps, sms = fields
    blocks.fill("0-1, 3")
    assert "6 of 6 warps" in report.status()
    warps.fill("1")
    assert report.shown_blocks() == ["block 0, warp 1", "block 1, warp 1", "block 3, warp 1"]
    sms.fill("0,2")
    assert report.shown_blocks() == ["block 0, warp 1", "block 3, warp 1"]
    assert report.message() == "2 rows"
    blocks.fill("3-x")
    assert report.message() == '"3-x" is no number or range; write it like 0-3,5.'
    assert blocks.get_attribute("aria-invalid") == "true"
    assert "2 of 2 warps" in report.status()
    blocks.fill("")
    assert blocks.get_attribute("aria-invalid") is None
    assert "3 of 3 warps" in report.status()


def test_a_filter_may_leave_nothing(open_report):
    report = open_report(archive(ordered_run())).wait()
    report.page.get_by_role("textbox", name="Blocks").fill("77")
    assert "0 of 0 warps" in report.status()
    assert len(report.pixels()) == 1
    report.move_to(500, 60)
    assert not report.page.locator(".tooltip").is_visible()


def test_go_to_a_block_warp_and_thread(open_report):
    report = open_report(many(), fragment="#from=300:22").wait()
    report.press("g")
    assert report.page.evaluate("document.activeElement.getAttribute('aria-label')") == "Go to"
    report.page.keyboard.type("b12 w3")
    report.press("Enter")
    panel = report.page.get_by_role("region", name="Pinned slice")
    assert "block 12 (12, 0, 0), warp 3" in panel.inner_text()
    top = float(report.address()["from"].split(":")[0])
    assert top < 12 * 4 + 3 < top + 30
    jump = report.page.get_by_label("Go to")
    jump.fill("block 7, warp 2 thread 5")
    jump.press("Enter")
    assert report.address()["threads"] == "30"
    for text, message in (
        ("b100", "Block 100 was not recorded."),
        ("b1 w9", "Warp 9 of block 1 was not recorded."),
        ("b1 w1 t40", "A warp has threads 0 to 31."),
        ("somewhere", "Write it like b12, b12 w3 or b12 w3 t0."),
    ):
        jump.fill(text)
        jump.press("Enter")
        assert report.message() == message


def test_search_dims_others_and_goes_from_hit_to_hit(open_report):
    report = open_report(archive(simple_run())).wait()
    before = report.shares()
    report.press("/")
    report.page.keyboard.type("DOT")
    assert report.message() == "2 slices of 1 scope"
    shares = report.shares()
    assert shares["load_kv"] == 0
    assert shares["dot"] > before["dot"] > 0.4
    panel = report.page.get_by_role("region", name="Pinned slice")
    for key, place in (
        ("Enter", "warp 0"),
        ("Enter", "warp 1"),
        ("Enter", "warp 0"),
        ("Shift+Enter", "warp 1"),
    ):
        report.press(key)
        assert panel.inner_text().startswith("dot")
        assert place in panel.inner_text()
    report.press("Escape")
    assert report.shares() == before
    report.press("/")
    report.page.keyboard.type("nothing like it")
    assert report.message() == "0 slices of 0 scopes"


def test_question_mark_lists_the_keys(open_report):
    report = open_report(archive(simple_run())).wait()
    report.press("?")
    dialog = report.page.get_by_role("dialog")
    assert dialog.is_visible()
    text = dialog.inner_text()
    for words in ("W", "Ctrl+Shift+wheel", "Shift+drag", "search scopes", "pin the slice after"):
        assert words in text
    report.press("w")
    assert report.shown_times() is None
    report.press("Escape")
    assert not dialog.is_visible()


def test_keys_typed_into_fields_do_not_move_the_picture(open_report):
    report = open_report(archive(simple_run()), fragment="#time=300:500").wait()
    report.page.get_by_label("Search scopes").click()
    report.page.keyboard.type("wasd0")
    assert report.shown_times() == (300, 500)


def test_sm_view_shows_blocks_in_their_places(open_report):
    warps = [
        Warp(block, warp, begin, end, [Slice(begin, end, 0)], sm)
        for block, (begin, end, sm) in enumerate(
            [(0, 400, 0), (0, 600, 0), (0, 300, 1), (420, 900, 0), (310, 1000, 1)]
        )
        for warp in range(2)
    ]
    report = open_report(archive(run(warps, SCOPES))).wait()
    report.page.get_by_role("radio", name="SMs").check(force=True)
    status = report.status()
    assert "3 of 3 places" in status
    assert (
        "2 SMs, up to 2 blocks each at once, 2 waves, tail 100 ns, 5.0 % of SM time idle" in status
    )
    assert report.shares() == pytest.approx(
        {"wave 1": 1300 / 2470, "wave 2": 1170 / 2470}, abs=0.01
    )
    top = AXIS_HEIGHT + 48
    report.move_to(report.x_of(500, 1000), top + 11)
    lines = report.tooltip()
    assert lines[0] == "block 3 (3, 0, 0)"
    assert lines[3] == "SM 0, place 0, wave 2 of it"
    # At 500 ns blocks 1, 3 and 4 run, of two warps each.
    assert lines[-1] == "6.0 warps alive on all SMs"
    report.move_to(report.x_of(650, 1000), top + 33)
    assert report.tooltip()[0] == "SM 0, place 1: no recorded block"
    x = [report.x_of(time, 1000) for time in (600, 1000)]
    report.drag((x[0], top + 11), (x[1], top + 11 + 36))
    panel = report.page.get_by_role("region", name="Selection").inner_text()
    # In [600, 1000) of the three places: block 3 until 900, block 4 until 1000.
    assert "2 blocks on 3 places" in panel
    assert "a block in 58.3 % of the places' time" in panel
    assert "3.5 warps alive on all SMs, of 6 at most" in panel
    report.click(report.x_of(500, 1000), top + 11)
    assert "rows" not in report.address()
    assert "10 of 10 warps" in report.status()


def test_marks_and_orphans_are_shown(open_report):
    warps = [Warp(0, 0, 0, 1000, [Slice(600, 1000, 0)])]
    text = archive(
        run(
            warps,
            SCOPES,
            marks=[Instant(0, 500, 2)],
            orphan_starts=[Instant(0, 200, 1)],
            orphan_ends=[Instant(0, 400, 2, 1)],
        )
    )
    report = open_report(text).wait()
    for time, line in (
        (200, "dot: start without its end at 200 ns, all 32 threads"),
        (400, "issue: end without its start at 400 ns, thread 0"),
        (500, "issue: mark at 500 ns, all 32 threads"),
    ):
        report.move_to(report.x_of(time, 1000), report.y_of(0))
        assert report.tooltip()[-1] == line
    assert any("without its other half" in text for text in report.texts(".legend > span"))
