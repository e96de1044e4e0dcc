"""An HTML report that is open in Chromium, as tests look at it."""

from collections import Counter
from pathlib import Path

from archives import Slice, Warp, run

from gwatch import libpygwatch
from gwatch.common.format import write_trace

SCOPES = ("load_kv", "dot", "issue")
LABEL_WIDTH = 122
AXIS_HEIGHT = 26
MARGIN = 1.02
"""How much wider than the run the first picture is."""

COUNT_PIXELS = """() => {
  const canvas = document.querySelector("canvas.rows");
  const {width, height} = canvas;
  const image = canvas.getContext("2d").getImageData(0, 0, width, height);
  const words = new Uint32Array(image.data.buffer);
  const counts = new Map();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Object.fromEntries([...counts].map(([word, count]) =>
    [(word & 255) + "," + (word >> 8 & 255) + "," + (word >> 16 & 255), count]));
}"""
LEGEND_COLOURS = """() => {
  const entries = [...document.querySelectorAll(".legend:not([hidden]) > *")];
  const colour = (swatch) =>
    swatch && getComputedStyle(swatch).backgroundColor.replace(/rgb\\(|\\)| /g, "");
  return Object.fromEntries(entries.map((entry) =>
    [entry.innerText.trim(), colour(entry.querySelector(".swatch"))]));
}"""


def simple_run(**facts):
    """Make two warps of 1,000 ns: nesting, a gap, and a slice of one thread."""
    warps = [
        Warp(0, 0, 0, 1000, [Slice(100, 500, 0), Slice(200, 300, 2, 1, 1), Slice(520, 900, 1)]),
        Warp(0, 1, 10, 990, [Slice(110, 400, 0), Slice(400, 990, 1)]),
    ]
    return run(warps, SCOPES, **facts)


class Report:
    """An open page, and what went wrong in it."""

    def __init__(self, page, path, fragment=""):
        self.page = page
        self.troubles = []
        self.requests = []
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(path.as_uri() + fragment)

    def _note(self, message):
        # Chromium's advice on tests that read pixels more than once.
        if "willReadFrequently" not in message.text:
            self.troubles.append(message.text)

    def wait(self):
        """Wait for the slices, and for all that is worked out of them."""
        self.page.wait_for_selector(".run[data-ready='all']")
        self.frame()
        return self

    def texts(self, selector):
        return self.page.locator(selector).all_inner_texts()

    def tab(self, name):
        self.page.get_by_role("tab", name=name).click()
        return self

    def frame(self):
        """Let the page draw what it was asked to."""
        self.page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")

    def settle(self):
        """Let the page come to rest and write its address."""
        self.frame()
        self.page.wait_for_selector("html:not([data-address='pending'])", state="attached")

    def pixels(self):
        """Count the colours of the painted rows, as "r,g,b"."""
        self.frame()
        return Counter(self.page.evaluate(COUNT_PIXELS))

    def colours(self):
        """Look up the colour of each name in the legend."""
        return self.page.evaluate(LEGEND_COLOURS)

    def shares(self):
        """Compute the share of each scope and of the gap in the coloured pixels."""
        pixels, colours = self.pixels(), self.colours()
        counts = {name: pixels[colour] for name, colour in colours.items() if colour}
        total = sum(counts.values())
        return {name: count / total for name, count in counts.items()}

    def overlay(self):
        return self.page.locator("canvas.overlay").bounding_box()

    def x_of(self, time_ns, span_ns):
        """Compute where a time is while all ``span_ns`` of the run are shown."""
        return LABEL_WIDTH + time_ns / (MARGIN * span_ns) * (self.overlay()["width"] - LABEL_WIDTH)

    def y_of(self, row, row_height=22):
        return AXIS_HEIGHT + (row + 0.5) * row_height

    def point(self, x, y):
        box = self.overlay()
        return box["x"] + x, box["y"] + y

    def move_to(self, x, y):
        self.page.mouse.move(*self.point(x, y))
        self.frame()

    def click(self, x, y, **options):
        self.page.mouse.click(*self.point(x, y), **options)
        self.frame()

    def drag(self, begin, end, modifier=None):
        if modifier:
            self.page.keyboard.down(modifier)
        self.page.mouse.move(*self.point(*begin))
        self.page.mouse.down()
        self.page.mouse.move(*self.point(*end), steps=3)
        self.page.mouse.up()
        if modifier:
            self.page.keyboard.up(modifier)
        self.frame()

    def wheel(self, amount, *modifiers):
        for key in modifiers:
            self.page.keyboard.down(key)
        self.page.mouse.wheel(0, amount)
        for key in reversed(modifiers):
            self.page.keyboard.up(key)
        self.frame()

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
        self.frame()

    def status(self):
        self.frame()
        return self.texts(".status")[0]

    def message(self):
        return self.page.locator(".message").inner_text()

    def tooltip(self):
        return self.page.locator(".tooltip").inner_text().splitlines()

    def address(self):
        """Read the state in the address, as a dictionary."""
        self.settle()
        return self.page.evaluate("Object.fromEntries(new URLSearchParams(location.hash.slice(1)))")

    def shown_times(self):
        """Read begin and end of the shown times from the address; None while all are shown."""
        text = self.address().get("time")
        return tuple(float(part) for part in text.split(":")) if text else None

    def shown_blocks(self):
        """Read which block the row under each of some heights belongs to, from its tooltip."""
        blocks = []
        box = self.overlay()
        for y in range(AXIS_HEIGHT + 11, int(box["height"]), 22):
            self.move_to(LABEL_WIDTH + 2, y)
            if not self.page.locator(".tooltip").is_visible():
                break
            blocks.append(next(line for line in self.tooltip() if line.startswith("block ")))
        return [line.split(" (")[0] + ", " + line.split("), ")[1].split(", ")[0] for line in blocks]


class Opener:
    """Opens pages, and closes them with a look at what went wrong."""

    def __init__(self, browser, folder: Path):
        self._browser = browser
        self._folder = folder
        self._opened = []

    def __call__(self, text, scheme="light", change=None, fragment="", **page_options):
        path = self._folder / f"report-{len(self._opened)}.html"
        write_trace(libpygwatch.from_json(text, "trace"), path)
        if change:
            path.write_text(change(path.read_text("utf-8")), "utf-8")
        options = {"viewport": {"width": 1400, "height": 900}, "color_scheme": scheme}
        page = self._browser.new_page(**options | page_options)
        self._opened.append(Report(page, path, fragment))
        return self._opened[-1]

    def close(self):
        for report in self._opened:
            report.page.close()
            assert report.troubles == []
            # Nothing but the file itself, and that again when a test loads it again.
            assert {url.split("#")[0] for url in report.requests} == {
                report.requests[0].split("#")[0]
            }
