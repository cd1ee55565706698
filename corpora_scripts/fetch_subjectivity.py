"""Fetch Subjectivity: python corpora_scripts/fetch_subjectivity.py"""

from fetch import fetch

if __name__ == "__main__":
    fetch("subjectivity")
