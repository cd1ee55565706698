"""Draws the tables in README.md and docs/ from the JSON results of the other scripts.

python benchmarks/readme.py            # rewrites every table between its markers, <!-- name --> and <!-- /name -->
python benchmarks/readme.py --check    # fails if they are not what the results say
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from typing import Any

from common import RESULTS

ROOT = RESULTS.parent.parent


def newsgroups(results: dict[str, Any]) -> str:
    rows = [
        f"| {r['name']} | {r['model']}, {r['weights']}, alpha {r['alpha']:g}"
        f" | {r['accuracy']:.4f} | {r['macro_f1']:.4f}"
        f" | {r['published'][0].replace('macro_f1', 'macro-F1')} {r['published'][1]:.4f}"
        f" | {'equal' if r['equal'] else 'DIFFERENT'} |"
        for r in results["recipes"]
    ]
    head = "| 20 Newsgroups, train → test | recipe | accuracy | macro-F1 | published | scikit-learn's matrix |"
    return "\n".join([head, "|---|---|---|---|---|---|", *rows])


def speed(results: dict[str, Any]) -> str:
    counting = results["counting"]
    cores = results["cores"]
    rows = [
        f"| {name} | {r['scikit_learn']:.2f} s | {r['one_thread']:.3f} s, {r['scikit_learn'] / r['one_thread']:.1f}×"
        f" | {r['all_cores']:.3f} s, {r['scikit_learn'] / r['all_cores']:.1f}× |"
        for name, r in counting["seconds"].items()
    ]
    memory = ", ".join(
        f"{name} {m['textnb']:.0f} MB against {m['sklearn']:.0f} MB" for name, m in results["memory"].items()
    )
    files = ", ".join(f"{name} {size:.0f} MB" for name, size in counting["file_mb"].items())
    growth = ", ".join(f"{g['documents']:,} in {g['seconds']:.2f} s" for g in results["growth"])
    rivals = [
        f"| {r['name']} | {r['training']:.2f} s | {r['prediction']:.2f} s | {r['accuracy']:.4f} |"
        for r in results["rivals"]
    ]
    return "\n".join(
        [
            f"| 20 Newsgroups | scikit-learn | textnb, one thread | textnb, {cores} threads |",
            "|---|---|---|---|",
            *rows,
            "",
            f"`wc -w` takes {counting['wc']:.3f} s for the same text. Peak memory, against scikit-learn's: {memory}.",
            f"Files with pairs, min_df 2: {files}. Made",
            f"documents of 60 words: {growth}.",
            "",
            "| on the same shuffled, tokenized text | training | prediction | accuracy |",
            "|---|---|---|---|",
            *rivals,
        ]
    )


def start_up(results: dict[str, Any]) -> str:
    rows = [
        f"| {name} | {r['best'] * 1e3:.0f} ms, {r['best_ratio']:.2f}× | {r['median'] * 1e3:.0f} ms |"
        for name, r in results["seconds"].items()
    ]
    head = f"| one message, a model of {results['words']:,} words | best, and × `import numpy` | median |"
    return "\n".join([head, "|---|---|---|", *rows])


def tuning(results: dict[str, Any]) -> str:
    rows = []
    for r in results["measured"]:
        chosen = r["chosen"]
        units = chosen["tokenizer"] or chosen["analyzer"]
        terms = f"{'–'.join(map(str, dict.fromkeys(chosen['ngrams'])))}-grams, min_df {chosen['min_df']:g}"
        terms = terms if units == "word" else f"{units} {terms}"
        rows.append(
            f"| {r['corpus']} | {chosen['model']}, {chosen['weights']}, {terms}, alpha {chosen['alpha']:g}"
            f" | {r['estimated_accuracy']:.4f}, {r['estimate']} | {r['accuracy']:.4f}"
            f" | {r['best_accuracy_by_looking_at_the_test']:.4f} |"
        )
    head = "| corpus | chosen automatically | estimated | on its test part | best of 216 on words, by the test |"
    return "\n".join([head, "|---|---|---|---|---|", *rows])


def linear(results: dict[str, Any]) -> str:
    rows, times = [], []
    for r in results["measured"]:
        rows.append(
            f"| {r['corpus']} | {r['weights']} | {r['C']:g}, {r['beta']:g} of {r['n_trials']}"
            f" | {r['estimated_accuracy']:.4f}, {r['estimate']} | {r['accuracy']:.4f} |"
        )
        models = r["matrix"]["models"]
        times += [
            f"| {r['corpus']}, {name} | {m['cpu_seconds']:.2f} s, "
            f"{models['LinearSVC']['cpu_seconds'] / m['cpu_seconds']:.1f}×"
            f" | {m['seconds']:.2f} s, {models['LinearSVC']['seconds'] / m['seconds']:.1f}× | {m['accuracy']:.4f} |"
            for name, m in models.items()
        ]
    head = "| corpus | weights | C and beta chosen | estimated | on its test part |"
    fits = "| fitting a given matrix, C 1 | of the processor | by the clock | accuracy |"
    return "\n".join([head, "|---|---|---|---|---|", *rows, "", fits, "|---|---|---|---|", *times])


def choice(results: dict[str, Any]) -> str:
    """Accuracy, macro-F1, log-loss and CPU seconds of every column that was measured."""
    columns = [name for name in CHOICE_COLUMNS if any(name in row["columns"] for row in results["measured"])]
    rows = []
    for row in results["measured"]:
        cells = (_choice_cell(row["columns"].get(name)) for name in columns)
        rows.append(f"| {row['corpus']} | {' | '.join(cells)} |")
    compared = [row["compared"] for row in results["measured"]]
    shares = [each["auto"]["share_of_time"] for each in compared if "auto" in each]
    about = (
        "Accuracy, macro-F1, log-loss and seconds of CPU. The time of the grid is that of a `GridSearchCV` of a"
        f" pipeline, of which textnb takes {100 * min(shares):.1f} to {100 * max(shares):.1f} %. In points of accuracy,"
        f' `TextClassifier()` is {_gaps(compared, "auto")} the grid, and `model="best"` {_gaps(compared, "best")} the'
        " most accurate other column, with two standard errors of the paired difference in brackets."
    )
    head = f"| | {' | '.join(CHOICE_COLUMNS[name] for name in columns)} |"
    return "\n".join([head, "|---|" + "---|" * len(columns), *rows, "", about])


CHOICE_COLUMNS = {
    "auto": "`TextClassifier()`",
    "best": '`model="best"`',
    "grid": "naive Bayes grid",
    "svc": "LinearSVC",
    "logistic": "logistic regression",
    "fasttext": "fastText",
}


def _gaps(compared: list[dict[str, Any]], ours: str) -> str:
    """How far a column is behind another, where it is furthest."""
    gaps = [each[ours] for each in compared if ours in each]
    furthest = max(gaps, key=lambda gap: gap["points_behind"])
    if furthest["points_behind"] <= 0:
        return "nowhere behind"
    return f"at most {furthest['points_behind']:.1f} ({furthest['two_paired_errors']:.1f}) behind"


def _choice_cell(found: dict[str, Any] | None) -> str:
    if found is None:
        return "–"
    loss = "–" if found["log_loss"] is None else f"{found['log_loss']:.3f}"
    seconds = found.get("pipeline_cpu_seconds", found["cpu_seconds"])
    return f"{found['accuracy']:.4f}, {found['macro_f1']:.3f}, {loss}, {seconds:,.0f} s"


def leave_one_out(results: dict[str, Any]) -> str:
    rows = [
        f"| {r['model']}, {r['values']} | {r['grid_search']:.1f} s | {r['leave_one_out']:.2f} s, {r['ratio']:.0f}×"
        f" | {r['leave_one_group_out']:.2f} s, {r['ratio_grouped']:.0f}× |"
        for r in results["measurements"]
    ]
    head = "| 20 Newsgroups × 15 alphas | scikit-learn's 10-fold grid search | leave-one-out | by thread |"
    return "\n".join([head, "|---|---|---|---|", *rows])


def explaining(results: dict[str, Any]) -> str:
    rows = [
        f"| {r['corpus']} | {r['recipe']} | {r['predict'] * 1e6:.0f} µs | {r['explain'] / r['predict']:.1f}×"
        f" | {r['rows'] / r['predict']:.1f}× |"
        for r in results["explanations"]
    ]
    page = results["report"]
    head = "| one document | model | predicted in | explained | with all rows and their places |"
    about = (
        f"The report of 20 Newsgroups' test part takes {page['beyond']:.1f} s beyond evaluating, and"
        f" {page['megabytes']:.1f} MB."
    )
    return "\n".join([head, "|---|---|---|---|---|", *rows, "", about])


def mail(results: dict[str, Any]) -> str:
    """One row per collection and filter: means over halves or mailboxes, with the lowest and highest of them."""
    rows = []
    kinds = dict.fromkeys((row["corpus"].rstrip("0123456789"), row["filter"]) for row in results["rows"])
    for corpus, filter in kinds:
        found = [r for r in results["rows"] if r["corpus"].rstrip("0123456789") == corpus and r["filter"] == filter]
        caught = (_spread([r["caught"][i] for r in found], found[0]["caught_intervals"][i], 3) for i in (0, 1))
        missed = _spread([r["one_minus_auc"] for r in found], found[0]["one_minus_auc_interval"], 3)
        rates = (f"{max(r[rate] for r in found):,.0f}" for rate in ("learned_per_second", "scored_per_second"))
        rows.append(f"| {corpus} | {filter} | {' | '.join(caught)} | {missed} | {' / '.join(rates)} |")
    head = "| | filter | caught at 0.1 % of ham lost | at 1 % | (1−AUC) % | learned / scored per second |"
    return "\n".join([head, "|---|---|---|---|---|---|", *rows])


def _spread(values: list[float], interval: list[float], digits: int) -> str:
    """The mean of several values and their range, or a single value and its 95 % interval."""
    low, high = (min(values), max(values)) if len(values) > 1 else interval
    return f"{sum(values) / len(values):.{digits}f} ({low:.{digits}f}–{high:.{digits}f})"


def ceilings(rows: list[dict[str, Any]]) -> str:
    kept = [row["ceiling"] for row in rows if "ceiling" in row]
    lost = ", ".join(f"{100 * ceiling['ham_lost']:.2f} %" for ceiling in kept)
    caught = ", ".join(f"{ceiling['caught']:.3f}" for ceiling in kept)
    return f"lost {lost} of later ham and caught {caught} of later spam"


def spamassassin(results: dict[str, Any]) -> str:
    about = f"A ceiling of 0.1 % asked for in training {ceilings(results['rows'])}, by random half."
    return f"{mail(results)}\n\n{about}"


def by_date(results: dict[str, Any]) -> str:
    rows = [
        f"| {row['filter']} | {row['n']:,} | {row['ham_lost']} | {row['spam_missed']} |"
        for row in results["rows"]
        if "n" in row
    ]
    head = "| SpamAssassin by date, each message classified, then learned | messages | ham lost | spam missed |"
    about = f"Trained on the first half by date, a ceiling of 0.1 % {ceilings(results['rows'])}."
    return "\n".join([head, "|---|---|---|---|", *rows, "", about])


def results_of(name: str) -> dict[str, Any]:
    """The stored results of that name."""
    results: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return results


def summary() -> str:
    """README's table: one row per claim, each from the results of another script."""
    seconds, start_up = results_of("speed")["counting"]["seconds"], results_of("start_up")["seconds"]
    rows = [
        _times("count words and pairs of words", seconds["words + pairs"]),
        _times("train a model on words and pairs", seconds["text → multinomial model with pairs"]),
        _start(start_up["textnb predict"], start_up["import numpy"]),
        *_choices(results_of("choice")["measured"]),
        _linear_model(results_of("linear")["measured"]),
        _spam_caught(results_of("mail-spamassassin")["rows"]),
    ]
    return "\n".join(["| | textnb | others |", "|---|---|---|", *rows])


def _times(what: str, seconds: dict[str, float]) -> str:
    ours, theirs = seconds["all_cores"], seconds["scikit_learn"]
    return f"| {what} | {ours:.2f} s | scikit-learn {theirs:.1f} s ({theirs / ours:.0f}×) |"


def _start(ours: dict[str, float], theirs: dict[str, float]) -> str:
    milliseconds = [f"{found['best'] * 1e3:.0f} ms" for found in (ours, theirs)]
    return f"| start, and answer one message | {milliseconds[0]} | `import numpy` alone {milliseconds[1]} |"


def _choices(measured: list[dict[str, Any]]) -> list[str]:
    """What the automatic choice takes and reaches on 20 Newsgroups, beside a grid search of the same models."""
    (columns,) = (row["columns"] for row in measured if row["corpus"] == "20news")
    ours, theirs = columns["auto"], columns["grid"]
    return [
        f"| choose the settings, processor time | {ours['cpu_seconds']:.0f} s"
        f" | `GridSearchCV` {theirs['pipeline_cpu_seconds']:,.0f} s |",
        f"| accuracy of what was chosen | {ours['accuracy']:.3f} | {theirs['accuracy']:.3f} |",
    ]


def _linear_model(measured: list[dict[str, Any]]) -> str:
    (found,) = (row for row in measured if row["corpus"] == "20news")
    rival = found["matrix"]["models"]["LinearSVC"]["accuracy"]
    return f"| accuracy of the linear model, `--model nbsvm` | {found['accuracy']:.3f} | LinearSVC {rival:.3f} |"


def _spam_caught(rows: list[dict[str, Any]]) -> str:
    """Spam caught where 0.1 % of the ham is lost: the mean over SpamAssassin's halves."""
    means = {}
    for filter in ("textnb", "bogofilter"):
        caught = [
            row["caught"][0]
            for row in rows
            if row["filter"] == filter and row["corpus"].startswith("spamassassin, all")
        ]
        means[filter] = f"{100 * sum(caught) / len(caught):.1f} %"
    what = "SpamAssassin: spam caught when 0.1 % of ham is lost"
    return f"| {what} | {means['textnb']} | bogofilter {means['bogofilter']} |"


def hashing(results: dict[str, Any]) -> str:
    rows = []
    for corpus, analyses in results["seconds"].items():
        for name, found in analyses.items():
            theirs = found["scikit_learn"]
            ours = " | ".join(f"{found[key]:.2f} s, {theirs / found[key]:.0f}×" for key in ("one_thread", "all_cores"))
            rows.append(f"| {corpus}, {name} | {theirs:.2f} s | {ours} |")
    return "\n".join(["| | scikit-learn | textnb, one thread | all cores |", "|---|---|---|---|", *rows])


def streams(results: dict[str, Any]) -> str:
    """Rates, processor time and memory of counting real text, of this version and of one before, if there was one."""
    rows = []
    for name, found in results["streams"].items():
        this, other = found["this"], found.get("other")
        versions = [this] if other is None else [this, other]
        cells = [
            " / ".join(f"{version[key]:{form}}" for version in versions)
            for key, form in (("mb_a_second", ".0f"), ("cpu_ms_a_mb", ".1f"), ("peak_mb", ".0f"))
        ]
        rows.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(["| | MB a second | ms of CPU per MB | peak MB |", "|---|---|---|---|", *rows])


TABLES: dict[str, Callable[[dict[str, Any]], str]] = {
    "speed": speed,
    "start_up": start_up,
    "explaining": explaining,
    "mail-spamassassin": spamassassin,
    "mail-by-date": by_date,
    "mail-enron": mail,
    "mail-sms": mail,
    "newsgroups": newsgroups,
    "linear": linear,
    "tuning": tuning,
    "choice": choice,
    "leave_one_out": leave_one_out,
    "hashing": hashing,
    "out_of_core_corpora": streams,
}
_MARKED = re.compile(r"<!-- ([\w-]+) -->\n.*?<!-- /\1 -->", re.DOTALL)


def table(name: str) -> str:
    """A table between its markers."""
    if name == "summary":
        content = summary()
    else:
        results = results_of(name)
        run = results["run"]
        content = f"{TABLES[name](results)}\n\n`{run['command']}`, {run['machine']}, Python {run['python']}"
    return f"<!-- {name} -->\n{content}\n<!-- /{name} -->"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a table is out of date")
    arguments = parser.parse_args()
    documents = {
        path: path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")))
    }
    places = [found[1] for before in documents.values() for found in _MARKED.finditer(before)]
    if sorted(places) != sorted(["summary", *TABLES]):
        sys.exit(f"each table has one place in README.md or docs/: {', '.join(sorted(places))} were found")
    for path, before in documents.items():
        after = _MARKED.sub(lambda found: table(found[1]), before)
        if arguments.check and before != after:
            sys.exit(f"{path.name} does not show the stored results: run python benchmarks/readme.py")
        if before != after:
            path.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    main()
