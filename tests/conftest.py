"""Settings common to all tests."""

from hypothesis import settings

# A deadline per example fails on a busy machine and says nothing about the code: what must be quick is timed by name.
settings.register_profile("textnb", deadline=None)
settings.load_profile("textnb")
