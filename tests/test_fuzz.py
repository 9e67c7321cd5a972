"""Inputs that nobody writes on purpose: refused in a sentence, or carried out; nothing else."""

import subprocess
import sys

import fuzz
import pytest

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", fuzz.KINDS)
def test_no_input_is_answered_by_a_traceback_a_hang_or_something_half_written(kind):
    """In a process without threads, so that it may fork; what it prints names inputs to rerun."""
    words = [sys.executable, fuzz.__file__, kind]
    done = subprocess.run(
        words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.stdout.splitlines() == [f"{fuzz.KINDS[kind].inputs} {kind}, 0 with faults"]
    assert (done.stderr, done.returncode) == ("", 0)
