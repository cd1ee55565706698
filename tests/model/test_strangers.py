"""A model file of a stranger imports nothing, whatever it names."""

import sys
from contextlib import suppress

import pytest
from model.test_model_files import forged
from opened_models import open_predictor

from textnb import TextClassifier, load
from textnb.storage import open_model

NAMES = ["bait", "bait:run", "bait.run"]
ANALYZER = ["kind", "tokenizer", "stemmer", "preprocessor", "stop_words", "strip_accents", "mail", "token_pattern"]


@pytest.fixture
def path(tmp_path):
    TextClassifier("multinomial", "counts").fit(["cheap pills", "lunch"], ["spam", "ham"]).save(tmp_path / "model.tnb")
    return tmp_path / "model.tnb"


def test_a_module_that_a_file_names_is_not_imported(path, tmp_path, monkeypatch):
    (tmp_path / "bait.py").write_text("def run(text):\n    return [text]\n")
    monkeypatch.syspath_prepend(tmp_path)
    settings = open_model(path).settings
    for name in NAMES:
        forgeries = [{key: name} for key in settings]
        forgeries += [{"analyzer": settings["analyzer"] | {part: name}} for part in ANALYZER]
        for forgery in forgeries:
            other = forged(path, settings=forgery)
            for opened in (load, open_predictor):
                with suppress(ValueError):
                    opened(other).predict(["cheap lunch"])
            assert "bait" not in sys.modules, forgery
    __import__("bait")
    assert sys.modules.pop("bait").run("x") == ["x"]  # it could have been
