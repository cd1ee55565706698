"""Fetch SpamAssassin public corpus: python corpora_scripts/fetch_spamassassin.py"""

from fetch import fetch

if __name__ == "__main__":
    fetch("spamassassin")
