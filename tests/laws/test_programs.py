"""A few random programs on a classifier, the same ones each time; `programs.py` runs as many as one likes."""

from hypothesis import settings
from laws.programs import Programs, run_programs


def test_random_programs_leave_what_their_documents_alone_make():
    before = Programs.calls
    run_programs(settings(max_examples=40, stateful_step_count=15))
    assert Programs.calls - before > 150
