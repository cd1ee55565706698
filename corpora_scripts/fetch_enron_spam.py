"""Fetch Enron-Spam: python corpora_scripts/fetch_enron_spam.py"""

from fetch import fetch

if __name__ == "__main__":
    fetch("enron-spam")
