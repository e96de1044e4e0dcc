"""The small parts of ``gwatch show``: units, letters, names, lists of numbers."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gwatch.commands.show import parse_list
from gwatch.errors import UsageError
from gwatch.show import units
from gwatch.show.letters import OTHER, scope_letters
from gwatch.show.text import Style, clean, columns, field, shorten


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0 ns"),
        (999, "999 ns"),
        (0.57, "0.57 ns"),
        (12.34, "12.3 ns"),
        (999.94, "999.9 ns"),
        (999.96, "1.000 us"),
        (1000, "1.000 us"),
        (9_999.6, "10.00 us"),
        (12_345, "12.35 us"),
        (99_996, "100.0 us"),
        (999_949, "999.9 us"),
        (999_951, "1.000 ms"),
        (1_500_000_000, "1.500 s"),
        (12_345_678_900_000, "12,346 s"),
        (-1500, "-1.500 us"),
    ],
)
def test_duration(ns, text):
    assert units.duration(ns) == text


@given(st.integers(min_value=0, max_value=10**15))
def test_duration_is_right_to_four_digits(ns):
    number, unit = units.duration(ns).replace(",", "").split()
    scale = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[unit]
    assert float(number) * scale == pytest.approx(ns, rel=6e-4)


def test_size_count_percent():
    assert units.size(0) == "0 B"
    assert units.size(1536) == "1.5 KiB"
    assert units.size(1 << 30) == "1 GiB"
    assert units.count(1, "warp") == "1 warp"
    assert units.count(8192, "warp") == "8,192 warps"
    assert units.percent(1, 0) == "0.0 %"
    assert units.percent(1, 3) == "33.3 %"


def test_letters_are_the_names_own_when_free():
    assert scope_letters(["load", "dot", "ldmatrix", "l", "100"]) == ["L", "D", "M", "l", "A"]
    assert scope_letters(["load_q", "load_kv", "tma/load"]) == ["L", "K", "T"]


@given(st.lists(st.text(max_size=8), max_size=62))
def test_letters_are_distinct_and_printable(names):
    letters = scope_letters(names)
    assert len(set(letters)) == len(names)
    assert set(letters) <= set(string.ascii_letters + string.digits)


def test_letters_run_out_into_one_for_the_rest():
    letters = scope_letters([f"s{i}" for i in range(70)])
    assert letters[62:] == [OTHER] * 8


@given(st.text())
def test_cleaned_names_are_printable(name):
    assert clean(name).isprintable()


@given(st.text(max_size=60), st.integers(min_value=4, max_value=40))
def test_shortened_names_fit(name, width):
    assert columns(shorten(name, width)) <= width


def test_shortened_names_keep_both_ends():
    assert shorten("abcdefghijklmnop", 8) == "abc..nop"


def test_field_wraps_under_its_text():
    lines = field("label", "word " * 30, Style(width=40))
    assert lines[0].startswith("label       word word")
    assert all(line.startswith(" " * 12 + "word") for line in lines[1:])
    assert max(map(len, lines)) <= 40


def test_wide_letters_count_twice_in_fields():
    lines = field("label", "\u5bbd\u5b57 \U0001f525 " * 20, Style(width=40))
    assert max(map(columns, lines)) in (39, 40)
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize(
    ("text", "numbers"), [("0", [0]), ("0,4-7", [0, 4, 5, 6, 7]), (" 3 , 1", [3, 1])]
)
def test_lists_of_numbers(text, numbers):
    assert parse_list(text, "--block") == numbers


@pytest.mark.parametrize("text", ["", "a", "1-", "-1", "1,,2", "5-3", "\u0663"])
def test_wrong_lists_are_usage_errors(text):
    with pytest.raises(UsageError, match="--warp cannot be"):
        parse_list(text, "--warp")
