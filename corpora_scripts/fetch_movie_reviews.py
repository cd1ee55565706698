"""Fetch Movie review polarity: python corpora_scripts/fetch_movie_reviews.py"""

from fetch import fetch

if __name__ == "__main__":
    fetch("movie-reviews")
