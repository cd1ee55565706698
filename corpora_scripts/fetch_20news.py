"""Fetch 20 Newsgroups: python corpora_scripts/fetch_20news.py"""

from fetch import fetch

if __name__ == "__main__":
    fetch("20news")
