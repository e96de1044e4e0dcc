"""The page around the HTML report's data: names, odd runs, damage, policy, address, theme."""

import re

import pytest
from archives import Instant, Slice, Warp, archive, pipelined_warps, run
from report_page import SCOPES, simple_run

HOSTILE = {
    "markup": "</script><img src=x onerror=alert(1)><!-- \"'&",
    "long": "long_name_" * 1000,
    "right to left": "\u05e9\u05dc\u05d5\u05dd \u202egnitset\u202c \u0645\u0631\u062d\u0628\u0627",
    "emoji": "\U0001f525 load \U0001f468\u200d\U0001f469\u200d\U0001f467",
    "prototype": "__proto__",
}


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_names_are_text(open_report, name):
    warps = [Warp(0, 0, 0, 100, [Slice(0, 50, 0), Slice(50, 100, 1)])]
    launch = {"kernel": name, "kernel_demangled": name, "device": name}
    made = run(warps, (name, "x"), launch=launch, warnings=[name])
    made["scopes"][0]["file"] = f"/{name}.py"
    report = open_report(archive(made, title=name)).wait()
    content = "document.querySelector('h1').textContent"
    assert report.page.evaluate(content) == name
    assert report.page.title().split() == name.split()
    legend = "[...document.querySelectorAll('.legend label .name')].map((e) => e.textContent)"
    assert name in report.page.evaluate(legend)
    report.move_to(report.x_of(20, 100), report.y_of(0))
    title = "document.querySelector('.tooltip-title').textContent"
    assert report.page.evaluate(title) == name
    report.click(report.x_of(20, 100), report.y_of(0))
    for tab in ("Overview", "Statistics", "Source"):
        report.tab(tab)
        text = report.page.evaluate(f"document.querySelector('#panel-{tab.lower()}').textContent")
        assert name in text
        width = "document.documentElement.scrollWidth <= innerWidth"
        assert report.page.evaluate(width), "a long name must not make the page wider"
    assert report.page.locator("img").count() == 0


def test_policy_refuses_what_is_not_the_pages_own(open_report):
    report = open_report(archive(simple_run())).wait()
    policy = report.page.locator("meta[http-equiv=Content-Security-Policy]").get_attribute(
        "content"
    )
    assert re.fullmatch(
        r"default-src 'none'; script-src 'sha256-[\w+/=]+'; style-src 'sha256-[\w+/=]+'; "
        r"base-uri 'none'; form-action 'none'",
        policy,
    )
    refused = report.page.evaluate(
        """async () => {
          const violations = [];
          document.addEventListener("securitypolicyviolation", (event) =>
            violations.push(event.effectiveDirective));
          const script = document.createElement("script");
          script.textContent = "window.injected = true";
          document.body.append(script);
          const image = document.createElement("img");
          image.src = "https://example.invalid/x.png";
          document.body.append(image);
          await fetch("data:,x").catch(() => 0);
          await new Promise((done) => setTimeout(done, 50));
          return {violations: [...new Set(violations)].sort(), injected: !!window.injected};
        }"""
    )
    assert refused == {
        "violations": ["connect-src", "img-src", "script-src-elem"],
        "injected": False,
    }
    # Chromium reports each of them in the console, and asks for nothing.
    assert all("Content Security Policy" in trouble for trouble in report.troubles)
    report.troubles.clear()
    del report.requests[1:]


def test_no_eval(open_report):
    report = open_report(archive(simple_run())).wait()
    # Playwright's own evaluate is exempt; a script that the page starts is not.
    outcome = report.page.evaluate(
        """() => new Promise((done) => {
          document.addEventListener("securitypolicyviolation", () => done("refused"), {once: true});
          const button = document.createElement("button");
          button.setAttribute("onclick", "window.ran = true");
          document.body.append(button);
          button.click();
          setTimeout(() => done(window.ran ? "ran" : "nothing"), 100);
        })"""
    )
    assert outcome == "refused"
    report.troubles.clear()


@pytest.mark.parametrize(
    "warps",
    [
        [],
        [Warp(0, 0, 0, 50)],
        [Warp(0, 0, 0, 50, [Slice(10, 20, 0)])],
        [Warp(0, 0, 0, 0)],
        [Warp(0, 0, 0, -1, [Slice(3, 9, 0)])],
        [Warp(0, 0, 0, 50, [Slice(10, 10, 0)])],
    ],
    ids=["no warps", "no slices", "one slice", "no time", "no exit", "empty slice"],
)
def test_almost_empty_runs_open_on_every_tab(open_report, warps):
    report = open_report(archive(run(warps, SCOPES, time={"span_ns": 50}))).wait()
    assert report.texts("h1") == ["_kernel"]
    for level in ("Blocks", "SMs", "Warps"):
        report.page.get_by_role("radio", name=level).check(force=True)
        report.move_to(400, 60)
    report.press("w", "d", ".", "]", "j", "e", "f", "0", "Escape")
    report.drag((300, 40), (500, 60))
    for tab in ("Overview", "Statistics", "Source"):
        report.tab(tab)
    count = sum(len(warp.slices) for warp in warps)
    report.tab("Statistics")
    assert (report.texts(".statistics tbody td") == ["No slices were recorded."]) == (count == 0)


def test_scopes_that_never_closed_are_shown(open_report):
    warps = [Warp(0, warp, 0, 1000) for warp in range(4)]
    starts = [Instant(warp, 100 + warp, 0) for warp in range(4)]
    text = archive(
        run(
            warps,
            SCOPES,
            orphan_starts=starts,
            warnings=["4 scopes were still open at the end of their warps."],
        )
    )
    report = open_report(text).wait()
    assert report.texts(".first-warning") == ["4 scopes were still open at the end of their warps."]
    report.move_to(report.x_of(101, 1000), report.y_of(1))
    assert report.tooltip()[-1] == "load_kv: start without its end at 101 ns, all 32 threads"
    report.tab("Overview")
    assert "4 starts, 0 ends" in report.texts(".facts dd.alarm")


def test_drops_are_shown_with_the_buffer_that_would_have_done(open_report):
    counts = {"dropped_events": 1200, "dropped_records": 600, "buffer_bytes_needed": 3 << 30}
    report = open_report(archive(simple_run(counts=counts))).wait().tab("Overview")
    alarms = report.texts(".facts dd.alarm")
    assert "1,200 events" in alarms
    assert "1 GiB (3 GiB needed)" in alarms


def test_trace_without_runs_opens(open_report):
    report = open_report(archive())
    assert report.page.locator("h1").inner_text() == "Nothing was traced"


def test_times_past_32_bits_open(open_report):
    start = 7_000_000_000
    warps = [Warp(0, 0, start, start + 100, [Slice(start, start + 100, 0)])]
    report = open_report(archive(run(warps, SCOPES, time={"span_ns": start + 100}))).wait()
    report.press("]")
    report.page.locator("canvas.overlay").press(".")
    panel = report.page.get_by_role("region", name="Pinned slice")
    assert "from 7,000,000,000 to 7,000,000,100 ns" in panel.inner_text()
    report.tab("Overview")
    assert "7.000 s" in report.texts(".facts dd")


def test_damaged_slices_are_a_message(open_report):
    report = open_report(
        archive(run(pipelined_warps(20, 4), SCOPES)),
        change=lambda page: page.replace('id="run-0-0">eJ', 'id="run-0-0">eJAAAA'),
    )
    report.page.get_by_text("The timeline cannot be shown.").wait_for()
    report.tab("Statistics")
    assert len(report.texts(".statistics tbody tr")) == 3


def test_file_that_was_cut_short_says_so(open_report):
    report = open_report(
        archive(simple_run()),
        change=lambda page: (
            page[: page.index('<script type="application/json"')] + page[page.rindex("<script>") :]
        ),
    )
    report.page.get_by_text("it was cut short").wait_for()


def two_runs():
    second = run(
        [Warp(0, 0, 0, 77, [Slice(0, 77, 0)])], ("other",), launch={"kernel_demangled": "two"}
    )
    return archive(simple_run(), second)


def test_runs_can_be_chosen(open_report):
    report = open_report(two_runs()).wait()
    report.page.get_by_label("Run", exact=True).select_option("1")
    report.wait()
    assert report.texts("h1") == ["two"]
    report.tab("Statistics")
    assert [text.split()[0] for text in report.texts(".statistics tbody th")] == ["other"]
    assert report.address()["run"] == "2"
    report.tab("Overview")
    rows = [row.split("\t") for row in report.texts(".runs tbody tr")]
    assert [row[1] for row in rows] == ["_kernel", "two"]
    report.page.get_by_role("button", name="Run 1", exact=True).click()
    report.wait()
    assert report.texts("h1") == ["_kernel"]


def test_runs_say_their_rank_and_when_they_began(open_report):
    def ranked(rank, host, start_ns):
        return simple_run(
            launch={"rank": rank, "host": host, "device_index": rank},
            time={"start_globaltimer_ns": start_ns},
        )

    begin = 1_764_500_000_000_000_007
    runs = [ranked(0, "a1", begin + 2000), ranked(1, "a1", begin), ranked(2, "b2", 0)]
    report = open_report(archive(*runs)).wait()
    options = report.page.get_by_label("Run", exact=True).locator("option").all_inner_texts()
    assert options == [f"Run {rank + 1}, rank {rank}: _kernel" for rank in range(3)]
    report.tab("Overview")
    rows = [row.split("\t") for row in report.texts(".runs tbody tr")]
    assert [row[2] for row in rows] == ["0", "1", "2"]
    assert [row[5] for row in rows] == ["+2.000 \u00b5s on host 1", "+0 ns on host 1", "unknown"]
    assert "Rank\n0" in report.texts(".facts")[0]


def test_address_brings_back_the_state_after_a_reload(open_report):
    text = archive(run(pipelined_warps(40, 4), SCOPES))
    report = open_report(text).wait()
    report.page.get_by_label("Sort by").select_option(label="start")
    report.page.get_by_role("textbox", name="Blocks").fill("0-9,12")
    report.page.get_by_label("issue", exact=True).uncheck()
    report.press("Tab")
    for _ in range(3):
        report.page.get_by_role("button", name="Time +").click()
    report.click(400, report.y_of(1))
    report.drag((300, report.y_of(0)), (500, report.y_of(2)))
    before = report.address()
    assert set(before) == {"sort", "blocks", "off", "time", "pin", "select"}
    status, shares = report.status(), report.shares()
    report.page.reload()
    report.wait()
    assert report.address() == before
    assert report.status() == status
    assert report.shares() == pytest.approx(shares, abs=0.002)
    assert report.page.get_by_role("textbox", name="Blocks").input_value() == "0-9,12"
    assert not report.page.get_by_label("issue", exact=True).is_checked()
    assert report.page.get_by_role("region", name="Selection").is_visible()
    assert report.page.get_by_role("region", name="Pinned slice").is_visible()


def test_address_brings_back_search_and_table_after_a_reload(open_report):
    report = open_report(archive(run(pipelined_warps(4, 2), SCOPES))).wait()
    report.page.get_by_role("searchbox", name="Search scopes").fill("load")
    found = report.message()
    report.tab("Statistics")
    report.page.get_by_role("searchbox", name="Filter scopes").fill("d")
    report.page.get_by_role("button", name="Count", exact=True).click()
    report.page.get_by_role("button", name="Count", exact=True).click()
    report.page.get_by_role("button", name="load_kv", exact=True).click()
    before = report.address()
    assert before == {
        "tab": "statistics",
        "find": "load",
        "named": "d",
        "by": "count:up",
        "scope": "0",
    }
    rows = report.texts(".statistics tbody tr")
    report.page.reload()
    report.wait()
    assert report.address() == before
    assert report.texts(".statistics tbody tr") == rows
    assert report.page.locator(".durations h2").inner_text() == "Durations of load_kv"
    assert report.page.locator("th[aria-sort=ascending]").inner_text() == "Count"
    report.tab("Timeline")
    assert report.page.get_by_role("searchbox", name="Search scopes").input_value() == "load"
    assert report.message() == found != ""


def test_address_may_be_changed_by_hand(open_report):
    report = open_report(two_runs()).wait()
    report.page.evaluate("location.hash = '#tab=statistics'")
    report.frame()
    assert report.page.locator("[role=tab][aria-selected=true]").inner_text() == "Statistics"
    report.page.evaluate("location.hash = '#run=2'")
    report.page.get_by_role("heading", name="two").wait_for()
    report.wait()


@pytest.mark.parametrize(
    "fragment",
    [
        "#run=99&tab=nowhere&rows=x&sort=scope:77&blocks=a-b&off=9999&open=x&threads=1e9",
        "#time=5:1&from=-4:0&pin=123456&select=1:2:3",
        "#time=NaN:Infinity&from=1e99:1e99&select=0:1e300:-5:99999",
        "#find=%20&named=nothing&by=x:y&scope=-1",
        "#by=constructor:up&scope=NaN",
        "#%E0%A4%A",
    ],
)
def test_an_address_that_makes_no_sense_is_passed_over(open_report, fragment):
    report = open_report(archive(simple_run()), fragment=fragment).wait()
    assert report.page.get_by_role("tab", name="Timeline").get_attribute("aria-selected") == "true"
    assert report.page.locator("canvas.overlay").is_visible()
    assert report.shares()["dot"] > 0.1


def test_theme_button_goes_through_the_choices(open_report):
    report = open_report(archive(simple_run()), "light").wait()
    background = "getComputedStyle(document.body).backgroundColor"
    light = report.page.evaluate(background)
    report.page.get_by_role("button", name="Theme: auto").click()
    assert report.page.evaluate(background) == light
    report.page.get_by_role("button", name="Theme: light").click()
    assert report.page.evaluate(background) != light
    assert report.shares()["dot"] > 0.4


def test_every_control_has_a_name_and_takes_the_focus(open_report):
    report = open_report(two_runs()).wait()
    for tab in ("Timeline", "Overview", "Statistics", "Source"):
        report.tab(tab)
        nameless = report.page.evaluate(
            """() => [...document.querySelectorAll("button, input, select, canvas.overlay")]
              .filter((control) => control.offsetParent)
              .filter((control) => !(control.getAttribute("aria-label") || control.innerText ||
                control.closest("label")?.innerText || "").trim() || control.tabIndex < 0)
              .filter((control) => control.getAttribute("role") !== "tab")
              .map((control) => control.outerHTML)"""
        )
        assert nameless == []


def test_without_script_the_page_says_what_to_do(browser, open_report, tmp_path):
    report = open_report(archive(simple_run())).wait()
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.page.url.split("#")[0])
    assert "gwatch show" in page.locator("noscript").inner_text()
    context.close()
