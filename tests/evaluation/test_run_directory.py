from __future__ import annotations

import os

import pytest

from sqlobs.errors import InputError
from sqlobs.evaluation.run_directory import newest_run


def make(root, *names):
    """Make directories, each changed a second after the one before."""
    for second, name in enumerate(names):
        path = root / name
        path.mkdir()
        os.utime(path, (second, second))


def test_the_time_in_the_name_decides(tmp_path):
    """A copied or touched older run does not become the newest."""
    make(tmp_path, "run_20250908_001148", "run_20250907_235959", "run_notes", "other")
    (tmp_path / "run_20260101_000000").write_text("a file is no run")
    assert newest_run(tmp_path).name == "run_20250908_001148"


def test_without_times_in_names_the_last_change_decides(tmp_path):
    """Names of other shapes count only when there is nothing better."""
    make(tmp_path, "run_b", "run_a", "walk_c")
    assert newest_run(tmp_path).name == "run_a"


@pytest.mark.parametrize("folder", [".", "missing"])
def test_no_run_is_an_input_error_that_says_what_to_do(tmp_path, folder):
    """An empty or missing folder gives one clear sentence."""
    with pytest.raises(InputError, match="give the directory of a run"):
        newest_run(tmp_path / folder)
