"""`python -m textnb`."""

from textnb.cli import main

main()
