"""The fetch script puts a corpus of the manifest in the cache, and says what it fetched."""

import os
import subprocess
import sys
from pathlib import Path

from corpora_for_tests import corpus_or_skip

from textnb.corpora import corpus_names

SCRIPT = Path(__file__).parents[2] / "corpora_scripts" / "fetch.py"


def fetch(*names: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(SCRIPT.parents[1])}
    return subprocess.run([sys.executable, str(SCRIPT), *names], env=environment, capture_output=True, text=True)


def test_the_script_prints_edition_path_and_counts() -> None:
    corpus = corpus_or_skip("sms-spam")
    done = fetch("sms-spam")
    assert (done.returncode, done.stderr) == (0, "")
    edition, ham, spam = done.stdout.splitlines()
    assert edition.startswith(f"{corpus.edition}: 5,574 documents, in ")
    assert Path(edition.partition(", in ")[2]).is_file()
    assert (ham.split(), spam.split()) == (["4,827", "ham"], ["747", "spam"])


def test_a_name_that_is_not_in_the_manifest_is_an_error_with_those_that_are() -> None:
    done = fetch("20new")
    assert (done.returncode, done.stdout) == (1, "")
    assert "Did you mean '20news'?" in done.stderr
    assert all(name in done.stderr for name in corpus_names())
