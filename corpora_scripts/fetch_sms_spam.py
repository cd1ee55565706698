"""Fetch SMS Spam Collection: python corpora_scripts/fetch_sms_spam.py"""

from fetch import fetch

if __name__ == "__main__":
    fetch("sms-spam")
