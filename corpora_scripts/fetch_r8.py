"""Fetch Reuters R8: python corpora_scripts/fetch_r8.py"""

from fetch import fetch

if __name__ == "__main__":
    fetch("r8")
