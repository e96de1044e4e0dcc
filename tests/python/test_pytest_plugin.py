"""The pytest plugin, run on tests of its own with stored traces in place of a GPU."""

import json
from pathlib import Path

import pytest
from archives import Instant, Slice, Warp, archive, run

from gwatch import libpygwatch
from gwatch.cuda.trace import TraceResult
from gwatch.regression import Baseline, TracedCall

pytest_plugins = ["pytester"]

CONFTEST = """
import pytest
from gwatch import libpygwatch
from gwatch.cuda.trace import TraceResult

@pytest.fixture(scope="session")
def gwatch_do_trace():
    def replay(fn, kernel_name_pattern, dsl=None, **options):
        value = fn()
        assert options == {"max_launches": 2}
        assert (kernel_name_pattern, dsl) == ("my_kernel", "triton")
        return TraceResult(libpygwatch.read_archive("now.json").runs, value)
    return replay
"""
TEST = """
def test_speed(gwatch_trace):
    traced = gwatch_trace(lambda: 42, kernel="my_kernel", dsl="triton", max_launches=2)
    assert traced.value == 42
    traced.assert_no_drops()
    traced.assert_all_closed()
    assert traced.scope("mma").p95_ns <= 1000
    traced.assert_not_slower(5)
"""


def made(slower=0, scopes=("load", "mma"), **facts):
    """Make blocks that load and compute in turns; each mma takes ``slower`` ns more."""
    warps = []
    for block in range(16):
        slices, time = [], 0
        for step in range(5):
            mma = 100 + (7 * block + 3 * step) % 11 + slower
            slices += [Slice(time, time + 50, 0), Slice(time + 50, time + 50 + mma, 1)]
            time += 50 + mma
        warps.append(Warp(block, 0, 0, time + 10, slices))
    return run(warps, scopes, **facts)


@pytest.fixture
def project(pytester):
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(TEST)
    return pytester


def traced_now(project, *runs):
    Path(project.path, "now.json").write_text(archive(*runs), "utf-8")


def run_tests(project, pytestconfig, *arguments):
    # An installed gwatch is loaded by its entry point.
    installed = pytestconfig.pluginmanager.has_plugin("gwatch")
    plugin = () if installed else ("-p", "gwatch.pytest_plugin")
    return project.runpytest_inprocess(*plugin, "-p", "no:cacheprovider", "-rA", *arguments)


def test_without_a_baseline_nothing_is_compared(project, pytestconfig):
    traced_now(project, made())
    result = run_tests(project, pytestconfig)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*not compared: run pytest with --gwatch-baseline DIR*"])


def test_a_stored_baseline_passes_until_something_grows(project, pytestconfig):
    traced_now(project, made())
    baseline = ("--gwatch-baseline", "kept/traces")
    run_tests(project, pytestconfig, *baseline, "--gwatch-update").assert_outcomes(passed=1)
    stored = list(Path(project.path, "kept/traces").iterdir())
    assert [path.name.endswith(".json.gz") for path in stored] == [True]
    assert "test_speed" in stored[0].name
    assert len(libpygwatch.read_archive(str(stored[0])).runs) == 1

    run_tests(project, pytestconfig, *baseline).assert_outcomes(passed=1)
    traced_now(project, made(slower=30))
    result = run_tests(project, pytestconfig, *baseline)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*AssertionError: slower than the baseline*", "*mma: p50 +28*"])
    # The baseline stays until it is told to change.
    assert list(Path(project.path, "kept/traces").iterdir()) == stored
    run_tests(project, pytestconfig, *baseline, "--gwatch-update").assert_outcomes(passed=1)
    run_tests(project, pytestconfig, *baseline).assert_outcomes(passed=1)


def test_a_missing_baseline_fails_and_says_how_to_store_one(project, pytestconfig):
    traced_now(project, made())
    result = run_tests(project, pytestconfig, "--gwatch-baseline", "kept")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*there is no baseline*--gwatch-update*"])


def test_a_scope_that_is_gone_fails(project, pytestconfig):
    baseline = ("--gwatch-baseline", "kept")
    traced_now(project, made(scopes=("old", "mma")))
    run_tests(project, pytestconfig, *baseline, "--gwatch-update")
    traced_now(project, made())
    result = run_tests(project, pytestconfig, *baseline)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*gone since the baseline: scope old*"])


def test_update_needs_a_folder(project, pytestconfig):
    traced_now(project, made())
    result = run_tests(project, pytestconfig, "--gwatch-update")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--gwatch-update needs --gwatch-baseline DIR*"])


def test_the_options_are_in_the_help(project, pytestconfig):
    run_tests(project, pytestconfig, "--help").stdout.fnmatch_lines(["*--gwatch-baseline=DIR*"])


def call_of(*runs, baseline=None):
    trace = libpygwatch.from_json(archive(*runs), "test")
    return TracedCall(TraceResult(trace.runs, "value"), baseline)


def test_figures_of_a_scope_are_those_of_the_core():
    call = call_of(made())
    figures = call.scope("mma")
    entry = libpygwatch.scope_statistics(call.runs[0])[1]
    assert (figures.count, figures.p50_ns, figures.max_ns) == (80, entry.p50_ns, entry.max_ns)
    lifetime = libpygwatch.pipeline_summary(call.runs[0]).lifetime_ns
    assert figures.share == entry.total_ns / lifetime
    assert figures.warps == 16


def test_an_unknown_scope_or_run_is_an_assertion():
    with pytest.raises(
        AssertionError, match="no scope 'dot' ran to its end; the run has: load, mma"
    ):
        call_of(made()).scope("dot")
    with pytest.raises(AssertionError, match="only 1 launches were traced"):
        call_of(made()).scope("mma", run=1)


def test_drops_fail_with_the_size_that_would_do():
    call = call_of(made(), made(counts={"dropped_events": 1200, "buffer_bytes_needed": 4096}))
    with pytest.raises(AssertionError, match=r"run 2 dropped 1,200 events: buffer_bytes=4096"):
        call.assert_no_drops()


def test_half_scopes_fail():
    call = call_of(run([Warp(0, 0, 0, 9)], orphan_starts=[Instant(0, 3, 1)]))
    with pytest.raises(AssertionError, match="1 starts without an end and 0 ends"):
        call.assert_all_closed()


def test_keys_that_read_alike_have_files_of_their_own(tmp_path):
    keys = ("t.py::f[a/b]", "t.py::f[a-b]", "../../etc::f", "x" * 5000, "")
    paths = [Baseline(key=key).path(tmp_path, "") for key in keys]
    paths.append(Baseline(key=keys[0]).path(tmp_path, "../name"))
    assert len(set(paths)) == len(paths)
    assert all(path.parent == tmp_path and len(path.name) < 200 for path in paths)


def test_a_metric_that_is_none_is_refused(tmp_path):
    baseline = Baseline(folder=tmp_path, update=True, key="k")
    call_of(made(), baseline=baseline).assert_not_slower()
    baseline.update = False
    with pytest.raises(ValueError, match="no metric is named 'speed'"):
        call_of(made(), baseline=baseline).assert_not_slower(metrics=["speed"])
    assert json.loads(json.dumps(baseline.notes))[0].startswith("stored ")
