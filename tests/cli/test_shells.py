"""A command is a shell: it parses, calls a workflow and shows what it returns; it computes nothing."""

import json

import pytest
from test_layers import SOURCES, imports_of

from textnb import workflow
from textnb.cli.app import COMMANDS
from textnb.corpora import ReadOptions

SHELLS = [name for name in SOURCES if name.startswith("textnb.cli.")]


@pytest.mark.parametrize("name", SHELLS)
def test_a_command_imports_no_other_and_computes_nothing(name):
    imported = {found.module for found in imports_of(SOURCES[name])}
    assert not imported & ({f"textnb.cli.{command}" for command in COMMANDS} - {name})
    assert not {module for module in imported if module.partition(".")[0] in ("sklearn", "scipy")}
    assert "numpy" not in imported


def plain(result):
    return json.loads(json.dumps(result))


def test_train_and_evaluate_print_what_the_workflows_return(textnb, mail_csv, tmp_path):
    for options, settings in (
        ((), {}),
        (("--model", "bernoulli", "--alpha", "0.5"), {"model": "bernoulli", "alpha": 0.5}),
        (("--ngrams", "1,2", "--min-df", "auto"), {"ngrams": (1, 2), "min_df": "auto"}),
    ):
        printed = textnb("train", "mail.csv", *options, "--json").json
        content = (tmp_path / "mail.tnb").read_bytes()
        assert plain(workflow.train("mail.csv", output="mail.tnb", **settings).to_json()) == printed
        assert (tmp_path / "mail.tnb").read_bytes() == content
    evaluated = workflow.evaluate("mail.tnb", "mail.csv").to_json()
    assert plain(evaluated) == textnb("evaluate", "mail.tnb", "mail.csv", "--json").json
    folds = workflow.cross_validate("mail.csv", 4, model="multinomial", output="mail.tnb").to_json()
    assert plain(folds) == textnb("train", "mail.csv", "--cv", 4, "--model", "multinomial", "--json").json


def test_other_commands_print_what_the_workflows_return(textnb, mail_csv, model):
    for call, result in (
        (("tune", "mail.csv"), workflow.tune("mail.csv")),
        (("audit", "mail.csv", "--new", "mail.csv"), workflow.audit("mail.csv", "mail.csv")),
        (("inspect", model, "--terms", 3), workflow.inspect(model, 3)),
        (("diff", model, model, "mail.csv"), workflow.compare(model, model, "mail.csv")),
        (("count", "mail.csv", "-o", "c.tnb"), workflow.count("mail.csv", "c.tnb", weights="counts")),
        (("merge", "-o", "d.tnb", "c.tnb", "c.tnb"), workflow.merge("d.tnb", ["c.tnb", "c.tnb"])),
        (("train", "mail.csv", "--stream", "-o", "s.tnb"), workflow.train_stream("mail.csv", output="s.tnb")),
    ):
        assert textnb(*call, "--json").json == plain(result.to_json())


def test_learning_and_forgetting_print_what_the_workflows_return(textnb, model):
    lunch = workflow.LabelledDocuments(["lunch"], ["ham"])
    once = workflow.learn(model, lunch).to_json()
    workflow.forget(model, lunch)
    assert textnb("learn", model, "--label", "ham", "--json", stdin=b"lunch").json == plain(once)
    forgotten = textnb("forget", model, "--label", "ham", "--json", stdin=b"lunch").json
    assert forgotten["forgotten"] == 1
    assert forgotten["classes"] == {label: n - (label == "ham") for label, n in once["classes"].items()}


def test_columns_are_named_as_options_name_them(textnb, tmp_path):
    rows = [(f"{word} {n}", word, f"{n}.5") for n in range(20, 40) for word in ("ham", "spam")]
    (tmp_path / "t.csv").write_text("body,kind,size\n" + "".join(f"{','.join(row)}\n" for row in rows))
    call = ("train", "t.csv", "--text", "body", "--label", "kind", "--numeric", "size", "--json")
    options = ReadOptions(text="body", label="kind")
    result = workflow.train("t.csv", numeric=["size"], options=options, output="t.tnb")
    assert textnb(*call).json == plain(result.to_json())
    assert plain(workflow.evaluate(result.classifier, "t.csv", label="kind").to_json()) | {"model_file": "t.tnb"} == (
        textnb("evaluate", "t.tnb", "t.csv", "--json").json
    )
