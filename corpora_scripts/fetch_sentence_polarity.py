"""Fetch Sentence polarity: python corpora_scripts/fetch_sentence_polarity.py"""

from fetch import fetch

if __name__ == "__main__":
    fetch("sentence-polarity")
