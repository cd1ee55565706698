"""A few random programs on a classifier, the same ones each time; `programs.py` runs as many as one likes."""

from hypothesis import Phase, settings
from laws.programs import Programs, run_programs


def test_random_programs_leave_what_their_documents_alone_make():
    before = Programs.calls
    # A program that fails is not made smaller here: the script does that, and takes its time.
    run_programs(settings(max_examples=40, stateful_step_count=15, phases=[Phase.generate]))
    assert Programs.calls - before > 150
