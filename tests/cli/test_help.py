"""Help texts: examples, every option explained, readable in a narrow terminal."""

import re
import shlex

import pytest

COMMANDS = [
    "train",
    "evaluate",
    "predict",
    "check",
    "explain",
    "inspect",
    "learn",
    "forget",
    "merge",
    "compact",
    "diff",
    "count",
    "tune",
    "audit",
    "report",
    "refit",
]
CALLS = [[], *([command] for command in COMMANDS), ["corpora"], ["corpora", "list"], ["corpora", "fetch"]]


def options_of(textnb, *command):
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", textnb(*command, "--help").out.partition("Options:")[2]))


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("width", [80, 100])
def test_help_has_examples_and_fits(textnb, monkeypatch, call, width):
    monkeypatch.setenv("COLUMNS", str(width))
    done = textnb(*call, "--help")
    assert (done.code, done.err) == (0, "")
    assert max(map(len, done.out.splitlines())) <= width
    assert re.search(r"Examples:\n +(cat .*\| )?textnb ", done.out)
    assert "..." not in re.sub(r"[\[{](ARGS|CORPUS|FILE|MODEL|PART)[\]}]\.\.\.", "", done.out)
    assert textnb(*call, "-h").out == done.out


@pytest.mark.parametrize("call", CALLS)
def test_examples_use_options_that_exist(textnb, call):
    text = textnb(*call, "--help").out
    for example in re.findall(rf"(?<=textnb )(?:{'|'.join(COMMANDS)}).*", text.partition("Options:")[0]):
        command, *words = shlex.split(example)
        assert {word for word in words if word.startswith("--")} <= options_of(textnb, command) | {"--help"}


@pytest.mark.parametrize("call", [call for call in CALLS if call])
def test_the_help_of_an_option_stands_alone(textnb, call):
    assert "The same" not in textnb(*call, "--help").out.partition("Options:")[2]


def test_train_has_every_promised_option(textnb):
    promised = """--model --weights --alpha --ngrams --analyzer --tokenizer --stemmer --unknown --min-df --max-features
        --categories --strip --text --label --categorical --numeric --test-size --cv --seed
        --jobs --output --plot --reliability --json --quiet --strict --calibrate --cost --unsure --protect --ceiling"""
    assert set(promised.split()) <= options_of(textnb, "train")


@pytest.mark.parametrize("call", [call for call in CALLS if call])
def test_every_command_that_prints_a_result_has_json(textnb, call):
    assert "--json" in options_of(textnb, *call)


def test_the_version_names_the_kernel(textnb):
    assert re.fullmatch(r"textnb \d+\.\d+\.\d+ \(\w+ kernel, Python .*, numpy .*\)\n", textnb("--version").out)
