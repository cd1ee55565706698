"""Fetch Reuters-21578: python corpora_scripts/fetch_reuters.py"""

from fetch import fetch

if __name__ == "__main__":
    fetch("reuters")
