"""Fetch Large Movie Review Dataset: python corpora_scripts/fetch_imdb.py"""

from fetch import fetch

if __name__ == "__main__":
    fetch("imdb")
