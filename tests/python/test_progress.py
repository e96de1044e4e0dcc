"""Progress bars: on a terminal, for what takes long, and nowhere else."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import textwrap

import pytest
from archives import archive, pipelined_warps, run

from gwatch import libpygwatch

SLOW = textwrap.dedent(
    """
    import sys, time
    from gwatch import cli, libpygwatch
    from gwatch.common import progress
    progress.PATIENCE_SECONDS = {patience}
    read = libpygwatch.read_archive
    def slowly(path):
        libpygwatch.begin_progress(4)
        for _ in range(4):
            time.sleep(0.15)
            libpygwatch.advance_progress(1)
        return read(path)
    libpygwatch.read_archive = slowly
    sys.exit(cli.main({arguments!r}))
    """
)


@pytest.fixture
def trace_file(tmp_path):
    path = tmp_path / "the\x1btrace.json"
    path.write_text(archive(run(pipelined_warps(2, 2), ("load", "dot", "issue"))), "utf-8")
    return str(path)


def command(arguments, patience=0.0):
    return [sys.executable, "-c", SLOW.format(patience=patience, arguments=arguments)]


def on_terminal(arguments, patience=0.0, **environment):
    """Run a command whose output is a terminal, and return all that it wrote there."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    clean = {name: value for name, value in os.environ.items() if name != "CI"}
    clean |= {"TERM": "xterm", "COLUMNS": "100"} | environment
    process = subprocess.Popen(
        command(arguments, patience), stdout=follower, stderr=follower, env=clean
    )
    os.close(follower)
    written = b""
    try:
        while select.select([leader], [], [], 60)[0]:
            try:
                piece = os.read(leader, 4096)
            except OSError:
                break  # the other end is closed
            if not piece:
                break
            written += piece
    finally:
        os.close(leader)
    assert process.wait(60) == 0, written
    return written.decode("utf-8", "replace")


def test_a_terminal_sees_how_far_it_has_come(trace_file):
    written = on_terminal(["show", trace_file])
    assert "reading the\\x1btrace.json" in written
    assert " 50 % |#" in written
    assert "\x1btrace" not in written
    # The bar is wiped away, and the text begins where it was.
    assert re.search(r"\r {20,}\r\S*Intra-kernel trace", written)


def test_export_says_what_it_writes(trace_file, tmp_path):
    written = on_terminal(["export", trace_file, "-o", str(tmp_path / "t.pftrace")])
    assert "reading" in written
    assert written.endswith(f"wrote {tmp_path / 't.pftrace'}\r\n")


@pytest.mark.parametrize(
    ("options", "environment"),
    [
        (["--json"], {}),
        ([], {"CI": "true"}),
        ([], {"TERM": "dumb"}),
    ],
)
def test_no_bar_where_none_is_wanted(trace_file, options, environment):
    written = on_terminal(["show", trace_file, *options], **environment)
    assert "reading" not in written
    assert "_kernel" in written


def test_no_bar_for_what_is_soon_done(trace_file):
    assert "reading" not in on_terminal(["show", trace_file], patience=30.0)


def test_no_bar_in_pipes(trace_file):
    done = subprocess.run(command(["show", trace_file]), capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "reading" not in done.stdout


def test_fraction_counts_parts_and_steps():
    libpygwatch.begin_part(1, 4)
    assert libpygwatch.progress() == 0.25
    libpygwatch.begin_progress(10)
    libpygwatch.advance_progress(5)
    assert libpygwatch.progress() == pytest.approx(0.375)
    libpygwatch.advance_progress(50)
    assert libpygwatch.progress() == 0.5
    libpygwatch.begin_part(0, 1)
    assert libpygwatch.progress() == 0


def test_reading_and_writing_come_to_their_end(tmp_path):
    text = archive(run(pipelined_warps(300, 8, 16), ("load", "dot", "issue")))
    libpygwatch.begin_part(0, 1)
    trace = libpygwatch.from_json(text)
    assert 0.8 < libpygwatch.progress() <= 1
    writers = {
        "t.json": lambda path: libpygwatch.write_archive(trace, "test", path),
        "t.pftrace": lambda path: libpygwatch.write_perfetto(trace, path, "test"),
        "t.trace.json": lambda path: libpygwatch.write_chrome(trace, path, "test"),
        "t.html": lambda path: libpygwatch.write_html(trace, path, "", "", "test"),
    }
    for name, write in writers.items():
        libpygwatch.begin_part(0, 1)
        write(str(tmp_path / name))
        assert libpygwatch.progress() == 1, name
