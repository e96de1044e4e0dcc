"""The HTML report in a real Chromium, opened from disk."""

import shutil
from collections import Counter
from random import Random

import pytest
from archives import ALL_THREADS, Instant, Slice, Warp, archive, pipelined_warps, run

from gwatch import libpygwatch
from gwatch.common.format import write_trace
from gwatch.show import units

playwright = pytest.importorskip("playwright.sync_api", reason="needs the package playwright")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium on PATH")

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
]
SCOPES = ("load_kv", "dot", "issue")
HOSTILE = "</script><img src=x onerror=alert(1)><!-- \"'&"


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


class Report:
    """An open page, and what went wrong in it."""

    def __init__(self, page, path):
        self.page = page
        self.troubles = []
        self.requests = []
        page.on("console", lambda message: self.troubles.append(message.text))
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(path.as_uri())

    def wait(self, run_index=0):
        self.page.wait_for_selector(f"#report[data-ready='{run_index}']")
        self.page.wait_for_selector(".timeline[data-paint-ms]")
        return self

    def texts(self, selector):
        return self.page.locator(selector).all_inner_texts()

    def frame(self):
        """Let the page draw what it was asked to."""
        self.page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")

    def pixels(self):
        """Count the colours of the painted rows, as "r,g,b"."""
        self.frame()
        counts = self.page.evaluate(
            """() => {
              const canvas = document.querySelector("canvas.rows");
              const {width, height} = canvas;
              const {data} = canvas.getContext("2d").getImageData(0, 0, width, height);
              const counts = {};
              for (let i = 0; i < data.length; i += 4) {
                const colour = data[i] + "," + data[i + 1] + "," + data[i + 2];
                counts[colour] = (counts[colour] ?? 0) + 1;
              }
              return counts;
            }"""
        )
        return Counter(counts)

    def colours(self):
        """Look up the colour of each name in the legend."""
        return self.page.evaluate(
            """() => Object.fromEntries([...document.querySelectorAll(".legend > *")].map(
              (entry) => [entry.innerText.trim(), entry.querySelector(".swatch") &&
                getComputedStyle(entry.querySelector(".swatch")).backgroundColor
                  .replace(/rgb\\(|\\)| /g, "")]))"""
        )

    def shares(self):
        """Compute the share of each scope and of the gap in the coloured pixels."""
        pixels, colours = self.pixels(), self.colours()
        counts = {name: pixels[colour] for name, colour in colours.items() if colour}
        total = sum(counts.values())
        return {name: count / total for name, count in counts.items()}

    def overlay(self):
        return self.page.locator("canvas.overlay").bounding_box()

    def move_to(self, x, y):
        box = self.overlay()
        self.page.mouse.move(box["x"] + x, box["y"] + y)
        self.frame()

    def status(self):
        self.frame()
        return self.texts(".status")[0]


@pytest.fixture
def open_report(browser, tmp_path):
    opened = []

    def opener(text, scheme="light", change=None):
        path = tmp_path / "report.html"
        write_trace(libpygwatch.from_json(text, "trace"), path)
        if change:
            path.write_text(change(path.read_text("utf-8")), "utf-8")
        page = browser.new_page(viewport={"width": 1400, "height": 900}, color_scheme=scheme)
        opened.append(Report(page, path))
        return opened[-1]

    yield opener
    for report in opened:
        report.page.close()
        assert report.troubles == []
        assert len(report.requests) == 1


def simple():
    warps = [
        Warp(0, 0, 0, 1000, [Slice(100, 500, 0), Slice(200, 300, 2, 1, 1), Slice(520, 900, 1)]),
        Warp(0, 1, 10, 990, [Slice(110, 400, 0), Slice(400, 990, 1)]),
    ]
    return run(warps, SCOPES)


def test_statistics_are_those_of_the_archive(open_report):
    text = archive(run(pipelined_warps(50, 4), SCOPES))
    report = open_report(text).wait()
    statistics = libpygwatch.scope_statistics(libpygwatch.from_json(text, "trace").runs[0])
    ordered = sorted(statistics, key=lambda entry: -entry.total_ns)
    rows = [row.split("\t") for row in report.texts(".statistics tbody tr")]
    assert [row[0].split()[0] for row in rows] == [SCOPES[entry.scope] for entry in ordered]
    for row, entry in zip(rows, ordered, strict=True):
        assert row[1].strip() == f"{entry.count:,}"
        assert row[3].strip() == f"{entry.min_ns} ns"
        assert row[7].strip() == f"{entry.max_ns} ns"
        assert row[8].strip() == units.duration(entry.total_ns).replace("us", "\u00b5s")


def test_header_sorts_the_table(open_report):
    report = open_report(archive(run(pipelined_warps(5, 4), SCOPES))).wait()
    report.page.get_by_role("button", name="Min").click()
    assert [t.split()[0] for t in report.texts(".statistics tbody th")] == [
        "dot",
        "load_kv",
        "issue",
    ]
    assert report.page.locator("th[aria-sort=descending]").inner_text().startswith("Min")
    report.page.get_by_role("button", name="Scope").click()
    assert [t.split()[0] for t in report.texts(".statistics tbody th")] == [
        "dot",
        "issue",
        "load_kv",
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_rows_are_painted_in_the_legends_colours(open_report, scheme):
    report = open_report(archive(simple()), scheme).wait()
    shares = report.shares()
    lived = 1000 + 980
    assert shares["load_kv"] == pytest.approx((300 + 290) / lived, abs=0.01)
    assert shares["dot"] == pytest.approx((380 + 590) / lived, abs=0.01)
    assert shares["issue"] == pytest.approx(100 / lived, abs=0.01)
    assert shares["in no scope"] == pytest.approx(320 / lived, abs=0.01)


def lock_step_warps(end, period, load):
    """Make rows that all do the same at the same time."""
    slices = [
        Slice(time + begin, time + stop, scope)
        for time in range(0, end - period, period)
        for begin, stop, scope in ((0, load, 0), (load, period, 1))
    ]
    return [Warp(block, warp, 0, end, slices) for block in range(4) for warp in range(2)]


@pytest.mark.parametrize("periods", [1, 2, 5])
def test_lock_step_rows_paint_true_shares(open_report, periods):
    width = open_report(archive(simple())).wait().overlay()["width"] - 122
    # A whole number of loops to a pixel: sampling at even distances would see one phase only.
    end = round(width * periods * 100 / 1.02)
    report = open_report(archive(run(lock_step_warps(end, 100, 25), SCOPES))).wait()
    assert report.shares()["load_kv"] == pytest.approx(0.25, abs=0.015)


def test_rows_lower_than_a_pixel_are_sampled_and_it_says_so(open_report):
    report = open_report(archive(run(pipelined_warps(600, 8), SCOPES))).wait()
    assert "4,800 of 4,800 warps, 1 of " in report.status()
    first = libpygwatch.from_json(archive(run(pipelined_warps(600, 8), SCOPES)), "t").runs[0]
    summary = libpygwatch.pipeline_summary(first)
    gap = summary.gap_ns / summary.lifetime_ns
    assert report.shares()["in no scope"] == pytest.approx(gap, abs=0.01)


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
    shares = open_report(text).wait().shares()
    core = libpygwatch.text_timeline(libpygwatch.from_json(text, "trace").runs[0])
    for name, time in zip(SCOPES, core.innermost_ns, strict=True):
        assert shares[name] == pytest.approx(time / 8000, abs=0.006)
    assert shares["in no scope"] == pytest.approx(core.gap_ns / 8000, abs=0.006)


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
        report.move_to(122 + x + 0.5, 26 + y + 0.5)
        shown = report.page.locator(".tooltip-title").inner_text()
        assert shown.lower() == names.get(colour, "The warp was not running").lower()


def test_hover_tells_scope_duration_and_warp(open_report):
    report = open_report(archive(simple())).wait()
    assert not report.page.locator(".tooltip").is_visible()
    box = report.overlay()
    across = (box["width"] - 122) / 1020  # the picture is 2 % wider than the run
    report.move_to(122 + 250 * across, 26 + 10)
    text = report.page.locator(".tooltip").inner_text()
    assert text.splitlines() == [
        "issue",
        "100 ns from 200 ns",
        "/home/user/kernel.py:12",
        "block 0 (0, 0, 0), warp 0, SM 0",
        "thread 0",
        "also open: load_kv, 400 ns, all 32 threads",
    ]
    report.move_to(122 + 950 * across, 26 + 10)
    assert (
        report.page.locator(".tooltip").inner_text().startswith("In no scope\n100 ns from 900 ns")
    )
    report.move_to(40, 10)
    assert not report.page.locator(".tooltip").is_visible()


def test_control_wheel_zooms_at_the_pointer_and_keys_come_back(open_report):
    report = open_report(archive(simple())).wait()
    assert report.status().startswith("1.000 \u00b5s from 0 ns")
    report.move_to(600, 40)
    before = report.page.locator(".tooltip").inner_text()
    report.page.keyboard.down("Control")
    report.page.mouse.wheel(0, -400)
    report.page.keyboard.up("Control")
    assert report.status().startswith("49")
    report.move_to(601, 40)
    assert report.page.locator(".tooltip").inner_text() == before
    report.page.locator("canvas.overlay").press("0")
    assert report.status().startswith("1.000 \u00b5s from 0 ns")


def test_drag_pans_and_wheel_scrolls_rows(open_report):
    report = open_report(archive(run(pipelined_warps(100, 4), SCOPES))).wait()
    for _ in range(4):
        report.page.get_by_role("button", name="Rows +").click()
        report.page.get_by_role("button", name="Time +").click()
    report.page.get_by_role("button", name="Time +").click()
    before = report.status()
    report.move_to(700, 200)
    report.page.mouse.down()
    report.page.mouse.move(report.overlay()["x"] + 500, report.overlay()["y"] + 200)
    report.page.mouse.up()
    assert report.status() != before
    report.move_to(700, 200)
    row = report.page.locator(".tooltip").inner_text().split("block ")[1]
    report.page.mouse.wheel(0, 300)
    report.move_to(701, 200)
    assert report.page.locator(".tooltip").inner_text().split("block ")[1] != row


def test_hidden_scope_shows_what_is_around_it(open_report):
    report = open_report(archive(simple())).wait()
    report.page.get_by_label("issue").uncheck()
    shares = report.shares()
    assert shares["issue"] == 0
    assert shares["load_kv"] == pytest.approx((400 + 290) / 1980, abs=0.01)


def test_most_gap_button_shows_that_gap(open_report):
    report = open_report(archive(run(pipelined_warps(100, 4), SCOPES))).wait()
    report.page.locator(".pipeline li button").first.click()
    assert report.shares()["in no scope"] > 0.05
    assert " ns from " in report.status()


def test_hostile_names_are_text(open_report):
    warps = [Warp(0, 0, 0, 100, [Slice(0, 50, 0), Slice(50, 100, 1)])]
    launch = {"kernel": HOSTILE, "kernel_demangled": HOSTILE}
    text = archive(run(warps, (HOSTILE, "x"), launch=launch, warnings=[HOSTILE]), title=HOSTILE)
    report = open_report(text).wait()
    assert report.texts("h1") == [HOSTILE]
    assert report.texts(".warnings li") == [HOSTILE]
    assert HOSTILE in report.texts(".legend label")
    assert report.page.title() == HOSTILE
    assert report.page.locator("img").count() == 0


def test_runs_can_be_chosen(open_report):
    second = run(
        [Warp(0, 0, 0, 77, [Slice(0, 77, 0)])], ("other",), launch={"kernel_demangled": "two"}
    )
    report = open_report(archive(simple(), second)).wait()
    report.page.get_by_label("Run", exact=True).select_option("1")
    report.wait(1)
    assert report.texts("h1") == ["two"]
    assert [t.split()[0] for t in report.texts(".statistics tbody th")] == ["other"]
    report.page.get_by_label("Run", exact=True).select_option("0")
    report.wait(0)
    assert len(report.texts(".statistics tbody tr")) == 3


def test_orphans_and_drops_are_shown(open_report):
    warps = [Warp(0, 0, 0, 1000, [Slice(600, 1000, 0)])]
    text = archive(
        run(
            warps,
            SCOPES,
            orphan_starts=[Instant(0, 200, 1)],
            orphan_ends=[Instant(0, 400, 2, 1)],
            counts={"dropped_events": 12},
            warnings=["12 events were dropped."],
        )
    )
    report = open_report(text).wait()
    assert report.texts(".warnings li") == ["12 events were dropped."]
    assert "12 events" in report.texts(".facts dd.alarm")
    assert "1 start, 1 end" in report.texts(".facts dd.alarm")
    box = report.overlay()
    report.move_to(122 + 200 * (box["width"] - 122) / 1020, 36)
    last = report.page.locator(".tooltip").inner_text().splitlines()[-1]
    assert last == "dot: start without its end at 200 ns, all 32 threads"


@pytest.mark.parametrize(
    "warps",
    [[], [Warp(0, 0, 0, 50)], [Warp(0, 0, 0, 0)], [Warp(0, 0, 0, -1, [Slice(3, 9, 0)])]],
    ids=["no warps", "no slices", "no time", "no exit"],
)
def test_almost_empty_runs_open(open_report, warps):
    report = open_report(archive(run(warps, SCOPES, time={"span_ns": 50}))).wait()
    assert report.texts("h1") == ["_kernel"]


def test_trace_without_runs_opens(open_report):
    report = open_report(archive())
    assert report.page.locator("h1").inner_text() == "Nothing was traced"


def test_times_past_32_bits_open(open_report):
    start = 7_000_000_000
    warps = [Warp(0, 0, start, start + 100, [Slice(start, start + 100, 0)])]
    report = open_report(archive(run(warps, SCOPES, time={"span_ns": start + 100}))).wait()
    report.page.locator(".pipeline").wait_for()
    assert report.texts(".facts dd")[-5] == "7.000 s"


def test_damaged_slices_are_a_message(open_report):
    report = open_report(
        archive(run(pipelined_warps(20, 4), SCOPES)),
        change=lambda page: page.replace('id="run-0-0">eJ', 'id="run-0-0">eJAAAA'),
    )
    report.page.get_by_text("The timeline cannot be shown.").wait_for()
    assert len(report.texts(".statistics tbody tr")) == 3


def test_file_that_was_cut_short_says_so(open_report):
    report = open_report(
        archive(simple()),
        change=lambda page: (
            page[: page.index('<script type="application/json"')] + page[page.rindex("<script>") :]
        ),
    )
    report.page.get_by_text("it was cut short").wait_for()


def test_theme_button_goes_through_the_choices(open_report):
    report = open_report(archive(simple()), "light").wait()
    background = "getComputedStyle(document.body).backgroundColor"
    light = report.page.evaluate(background)
    button = report.page.get_by_role("button", name="Theme: auto")
    button.click()
    assert report.page.evaluate(background) == light
    report.page.get_by_role("button", name="Theme: light").click()
    assert report.page.evaluate(background) != light
    assert report.shares()["dot"] > 0.4
