"""Every corpus has its fetch script, and it says what it fetched."""

import os
import subprocess
import sys
from pathlib import Path

from corpora_for_tests import corpus_or_skip

from textnb.corpora import corpus_names

SCRIPTS = Path(__file__).parents[2] / "corpora_scripts"


def test_every_corpus_has_a_script_of_its_own() -> None:
    for name in corpus_names():
        assert f'fetch("{name}")' in (SCRIPTS / f"fetch_{name.replace('-', '_')}.py").read_text()


def test_a_script_prints_edition_path_and_counts() -> None:
    corpus = corpus_or_skip("sms-spam")
    script = [sys.executable, str(SCRIPTS / "fetch_sms_spam.py")]
    environment = {**os.environ, "PYTHONPATH": str(SCRIPTS.parent)}
    done = subprocess.run(script, env=environment, capture_output=True, text=True)
    assert done.stderr == ""
    edition, ham, spam = done.stdout.splitlines()
    assert edition.startswith(f"{corpus.edition}: 5,574 documents, in ")
    assert Path(edition.partition(", in ")[2]).is_file()
    assert (ham.split(), spam.split()) == (["4,827", "ham"], ["747", "spam"])
