"""The painted rows of the HTML report: each scope's share of the pixels is its share of time."""

import re
from random import Random

import pytest
from archives import ALL_THREADS, Slice, Warp, archive, pipelined_warps, run
from report_page import LABEL_WIDTH, SCOPES, simple_run

from gwatch import libpygwatch


def first_run(text):
    return libpygwatch.from_json(text, "trace").runs[0]


def true_shares(text):
    """Compute each scope's share of self time, and that of no scope, from the archive."""
    core = libpygwatch.text_timeline(first_run(text))
    lifetime = sum(core.innermost_ns) + core.gap_ns
    shares = dict(zip(SCOPES, (time / lifetime for time in core.innermost_ns), strict=True))
    return shares | {"in no scope": core.gap_ns / lifetime}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_rows_are_painted_in_the_legends_colours(open_report, scheme):
    report = open_report(archive(simple_run()), scheme).wait()
    lived = 1000 + 980
    truth = {"load_kv": 300 + 290, "dot": 380 + 590, "issue": 100, "in no scope": 320}
    assert report.shares() == pytest.approx(
        {name: time / lived for name, time in truth.items()}, abs=0.01
    )


def lock_step_warps(end, period, load, blocks=4):
    """Make rows that all do the same at the same time."""
    slices = [
        Slice(time + begin, time + stop, scope)
        for time in range(0, end - period, period)
        for begin, stop, scope in ((0, load, 0), (load, period, 1))
    ]
    return [Warp(block, warp, 0, end, slices) for block in range(blocks) for warp in range(2)]


@pytest.mark.parametrize("periods", [1, 2, 5])
def test_lock_step_rows_paint_true_shares(open_report, periods):
    width = open_report(archive(simple_run())).wait().overlay()["width"] - LABEL_WIDTH
    # A whole number of loops to a pixel: sampling at even distances would see one phase only.
    end = round(width * periods * 100 / 1.02)
    report = open_report(archive(run(lock_step_warps(end, 100, 25), SCOPES))).wait()
    assert report.shares()["load_kv"] == pytest.approx(0.25, abs=0.01)


def noisy_warps(count, seed=7):
    """Make warps whose loops have noise on every duration, with outliers, out of step."""
    random = Random(seed)
    warps = []
    for number in range(count):
        time, slices = random.randrange(300), []
        enter = time
        for _ in range(40):
            load = round(random.lognormvariate(4, 0.5)) * (6 if random.random() < 0.01 else 1)
            dot = round(random.lognormvariate(4.5, 0.3))
            slices += [Slice(time, time + load, 0), Slice(time + load, time + load + dot, 1)]
            slices.append(Slice(time + load + dot // 4, time + load + dot // 2, 2, 1))
            time += load + dot + random.randrange(30)
        warps.append(Warp(number // 8, number % 8, enter, time, slices, number // 8 % 5))
    return warps


@pytest.mark.parametrize("level", ["warps", "blocks"])
@pytest.mark.parametrize("count", [16, 640], ids=["high rows", "low rows"])
def test_noisy_rows_paint_true_shares(open_report, level, count):
    text = archive(run(noisy_warps(count), SCOPES))
    report = open_report(text, fragment=f"#rows={level}").wait()
    assert report.shares() == pytest.approx(true_shares(text), abs=0.01)


def test_low_lock_step_rows_paint_true_shares(open_report):
    text = archive(run(lock_step_warps(20_000, 100, 25, blocks=700), SCOPES))
    report = open_report(text).wait()
    assert "sampled" in report.status()
    assert report.shares()["load_kv"] == pytest.approx(0.25, abs=0.01)


def test_a_part_of_the_time_paints_its_own_shares(open_report):
    warps = [Warp(0, warp, 0, 1000, [Slice(0, 500, 0), Slice(500, 1000, 1)]) for warp in range(4)]
    report = open_report(archive(run(warps, SCOPES)), fragment="#time=400:800").wait()
    assert report.shares()["load_kv"] == pytest.approx(0.25, abs=0.01)


def test_rows_lower_than_a_pixel_are_sampled_and_it_says_so(open_report):
    text = archive(run(pipelined_warps(600, 8), SCOPES))
    report = open_report(text).wait()
    assert "4,800 of 4,800 warps, 1 of " in report.status()
    assert report.shares() == pytest.approx(true_shares(text), abs=0.01)


def divergent_warps(seed):
    """Make warps whose threads run apart: slices that nest, overlap, or last no time at all."""
    random = Random(seed)
    warps = []
    for warp in range(8):
        slices = []
        for _ in range(60):
            start = random.randrange(900)
            end = start + random.choice([0, 5, 40, 100])
            mask = random.choice([ALL_THREADS, 1, 0xFFFF, 0xFFFF0000, 1 << 31])
            slices.append(Slice(start, end, random.randrange(3), random.randrange(3), mask))
        warps.append(Warp(0, warp, 0, 1000, sorted(slices, key=lambda slice_: slice_.start_ns)))
    return warps


@pytest.mark.parametrize("seed", range(3))
def test_viewer_and_core_agree_on_what_is_innermost(open_report, seed):
    text = archive(run(divergent_warps(seed), SCOPES))
    report = open_report(text).wait()
    assert report.shares() == pytest.approx(true_shares(text), abs=0.006)
    report.tab("Statistics")
    cells = report.texts(".statistics tbody tr td:last-child")
    names = [name.split()[0] for name in report.texts(".statistics tbody th")]
    shown = {name: float(cell.split()[0]) for name, cell in zip(names, cells, strict=True)}
    truth = {name: 100 * share for name, share in true_shares(text).items() if name in SCOPES}
    assert shown == pytest.approx(truth, abs=0.051)


def test_rows_of_threads_show_what_each_thread_did(open_report):
    slices = [
        Slice(0, 800, 0, 0, 0xFFFF),
        Slice(0, 600, 2, 0, 0xFFFF0000),
        Slice(200, 400, 1, 1, 1),
    ]
    text = archive(run([Warp(0, 0, 0, 1000, slices)], SCOPES))
    report = open_report(text, fragment="#threads=0").wait()
    assert "33 of 33 rows" in report.status()
    # One row of the warp, of the lowest thread; 16 threads each of the two halves.
    load, dot = (600 + 16 * 800 - 200) / 33_000, (200 + 200) / 33_000
    shares = report.shares()
    assert shares["load_kv"] == pytest.approx(load, abs=0.01)
    assert shares["dot"] == pytest.approx(dot, abs=0.01)
    assert shares["issue"] == pytest.approx(16 * 600 / 33_000, abs=0.01)


def test_tooltip_names_the_scope_of_the_pixel_under_it(open_report):
    report = open_report(archive(run(pipelined_warps(400, 8, 60), SCOPES))).wait()
    names = {colour: name for name, colour in report.colours().items() if colour}
    points = [(x, x // 3) for x in range(150, 900, 83)]
    colours = report.page.evaluate(
        """(points) => {
          const canvas = document.querySelector("canvas.rows");
          const {width, height} = canvas;
          const {data} = canvas.getContext("2d").getImageData(0, 0, width, height);
          return points.map(([x, y]) => data.slice(4 * (y * width + x)).slice(0, 3).join(","));
        }""",
        points,
    )
    for (x, y), colour in zip(points, colours, strict=True):
        report.move_to(LABEL_WIDTH + x + 0.5, 26 + y + 0.5)
        shown = report.tooltip()[0]
        assert shown.lower() == names.get(colour, "The warp was not running").lower()


def test_hidden_scope_shows_what_is_around_it(open_report):
    report = open_report(archive(simple_run())).wait()
    report.page.get_by_label("issue", exact=True).uncheck()
    shares = report.shares()
    assert shares["issue"] == 0
    assert shares["load_kv"] == pytest.approx((400 + 290) / 1980, abs=0.01)
    report.page.get_by_role("button", name="None").click()
    assert report.shares()["in no scope"] == 1
    report.page.get_by_role("button", name="All").click()
    assert report.shares()["issue"] == pytest.approx(100 / 1980, abs=0.01)


def test_panning_moves_the_picture_without_shimmer(open_report):
    report = open_report(archive(run(noisy_warps(64), SCOPES)), fragment="#time=1000:2000").wait()
    read = """() => {
      const canvas = document.querySelector("canvas.rows");
      return Array.from(new Uint32Array(
        canvas.getContext("2d").getImageData(0, 100, canvas.width, 1).data.buffer));
    }"""
    before = report.page.evaluate(read)
    report.drag((700, 100), (660, 100), "Shift")
    report.settle()
    after = report.page.evaluate(read)
    assert after != before
    assert after[: len(after) - 40] == before[40:]


def test_a_sharp_screen_paints_the_same_shares(open_report):
    text = archive(run(noisy_warps(16), SCOPES))
    report = open_report(text, device_scale_factor=2).wait()
    assert report.shares() == pytest.approx(true_shares(text), abs=0.01)


def test_hundred_thousand_rows(open_report):
    warps = [
        Warp(
            number // 8,
            number % 8,
            number // 1000,
            number // 1000 + 90,
            [
                Slice(number // 1000, number // 1000 + 30, 0),
                Slice(number // 1000 + 30, number // 1000 + 90, 1),
            ],
            number // 8 % 132,
        )
        for number in range(100_000)
    ]
    report = open_report(archive(run(warps, SCOPES))).wait()
    assert report.shares()["load_kv"] == pytest.approx(1 / 3, abs=0.01)
    assert "100,000 of 100,000 warps, 1 of " in report.status()
    report.page.get_by_label("Go to").fill("b12499 w7")
    report.page.get_by_label("Go to").press("Enter")
    assert float(report.address()["from"].split(":")[0]) > 99_000
    report.page.get_by_role("textbox", name="Blocks").fill("12000-12001")
    assert "16 of 16 warps" in report.status()


RECORD_LABELS = """() => {
  const labels = (window.labels = []);
  const fillText = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, most) {
    const width = Math.min(this.measureText(text).width, most ?? Infinity);
    labels.push({text, y, left: this.textAlign === "right" ? x - width : x, width});
    fillText.call(this, text, x, y, most);
  };
}"""


def test_labels_of_long_block_numbers_leave_room_for_the_warps(open_report):
    blocks = (7, 12_345, 123_456_789, 2**40)
    warps = [Warp(block, warp, 0, 90, [Slice(0, 90, 0)]) for block in blocks for warp in (0, 12)]
    made = run(warps, launch={"grid": [2**31 - 1, 2**16 - 1, 1]})
    report = open_report(archive(made)).wait()
    report.page.evaluate(RECORD_LABELS)
    report.page.get_by_role("button", name="Fit").click()
    report.frame()
    drawn = report.page.evaluate("labels")
    labels = [label for label in drawn if re.search(r"^b(lock )?\d|warp", label["text"])]
    named = [label["text"] for label in labels if label["text"].startswith("b")]
    assert named == ["block 7", "b12345", "b123456789", f"b{2**40}"]
    assert len(labels) == 4 + 8
    for left in labels:
        for right in labels:
            if left["left"] < right["left"] and abs(left["y"] - right["y"]) < 8:
                assert left["left"] + left["width"] < right["left"], (left, right)


def test_triangles_of_many_scopes_do_not_hide_the_picture(open_report):
    slices = [Slice(10 * i, 10 * i + 9, i % 200) for i in range(800)]
    names = [f"stage_{i}" for i in range(200)]
    report = open_report(archive(run([Warp(0, 0, 0, 8000, slices)], names))).wait()
    report.page.evaluate("""() => {
      window.triangles = 0;
      const fill = CanvasRenderingContext2D.prototype.fill;
      CanvasRenderingContext2D.prototype.fill = function (...all) {
        triangles++;
        fill.apply(this, all);
      };
    }""")
    report.page.get_by_role("button", name="Fit").click()
    report.frame()
    frames = report.page.evaluate("triangles") / (24 * 3)
    assert frames >= 1
    assert frames == int(frames)
