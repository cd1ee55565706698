"""The documents of this repository as tests see them: their blocks of code, and the files that these speak of."""

import gzip
import json
import random
import re
import zipfile
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpora_for_tests import corpus_or_skip
from mail_samples import WORDS, mboxrd, message, messages, write_maildir

from textnb.corpora import corpus_names

ROOT = Path(__file__).parents[1]
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted(ROOT.glob("docs/*.md")),
]
_BLOCK = re.compile(r"^(<!-- not run: [^\n]+ -->\n)?```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
every_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)


class Block(NamedTuple):
    """A block of code: its language, its text, its first line in the document, and whether tests run it."""

    language: str
    text: str
    line: int
    runs: bool


def blocks(document: Path, *languages: str) -> list[Block]:
    """The blocks of a document that are in one of these languages."""
    content = document.read_text(encoding="utf-8")
    return [
        Block(found[2], found[3], content.count("\n", 0, found.start(3)), found[1] is None)
        for found in _BLOCK.finditer(content)
        if found[2] in languages
    ]


def with_blocks(*languages: str) -> pytest.MarkDecorator:
    """A test of every document that has blocks in one of these languages which are run."""
    found = [path for path in DOCUMENTS if any(block.runs for block in blocks(path, *languages))]
    return pytest.mark.parametrize("document", found, ids=lambda path: path.name)


def need_corpora(code: str) -> None:
    """Skip where a corpus that the code names cannot be had in the edition that the documents speak of."""
    for name in corpus_names():
        if re.search(rf"(?<![\w-]){name}(?![\w.-])", code):
            corpus = corpus_or_skip(name)
            if name == "20news" and corpus.groups is None:
                pytest.skip("corpus not available: 20news with headers")


def write_samples(folder: Path) -> None:
    """What the examples call the user's own: mailboxes, messages, and tables of texts with their class."""
    write_maildir(folder / "Junk", messages("spam", 40))
    (folder / "Archive.mbox").write_bytes(mboxrd(messages("ham", 40)))
    (folder / "message").write_bytes(message("Claim your free lunch now\n", "Winner", 9001))
    (folder / "message.txt").write_text("Claim your free lunch now\n")
    for name, label in (("inbox", "spam"), ("archive", "ham")):
        (folder / name).mkdir()
        for i, text in enumerate(_texts(label, 3, seed=name)):
            (folder / name / f"{i}.txt").write_text(text + "\n")
    rows = [(text, label) for label in WORDS for text in _texts(label, 40, seed="mail")]
    later = [(text, label) for label in WORDS for text in _texts(label, 20, seed="later")]
    _write_csv(folder / "mail.csv", rows)
    _write_csv(folder / "later.csv", later)
    _write_csv(folder / "new.csv", [(text, "") for text, _ in later[::4]])
    for i, day in enumerate(("monday", "tuesday")):
        lines = [json.dumps({"text": text, "label": label}) for text, label in rows[i::2]]
        (folder / f"{day}.jsonl.gz").write_bytes(gzip.compress(("\n".join(lines) + "\n").encode()))
    _write_other_formats(folder, rows[::-1])


def _write_other_formats(folder: Path, rows: list[tuple[str, str]]) -> None:
    """The same texts as other people have theirs."""
    table = pa.Table.from_pylist([{"text": text, "label": label} for text, label in rows])
    pq.write_table(table, folder / "reviews.parquet")
    (folder / "reviews" / "data").mkdir(parents=True)
    for part, start in (("train", 0), ("test", 1)):
        every_other = table.take(list(range(start, len(rows), 2)))
        pq.write_table(every_other, folder / "reviews" / "data" / f"{part}-00000-of-00001.parquet")
    with zipfile.ZipFile(folder / "reviews.zip", "w") as archive:
        for i, (text, label) in enumerate(rows):
            archive.writestr(f"{label}/{i}.txt", text)
    lines = [f"{text};{label};{i // 4}\n" for i, (text, label) in enumerate(rows)]
    (folder / "threads.csv").write_text("Message;Category;thread\n" + "".join(lines))
    (folder / "plain.tsv").write_text("".join(f"{label}\t{text}\n" for text, label in rows))
    (folder / "titles.txt").write_text("lunch\nfree prize\n")


def _texts(label: str, n: int, seed: str) -> list[str]:
    """Texts of a class, mostly of its own words."""
    choose, other = random.Random(f"{seed} {label}"), next(each for each in WORDS if each != label)
    return [" ".join(choose.choices(WORDS[label], k=6) + choose.choices(WORDS[other], k=2)) for _ in range(n)]


def _write_csv(path: Path, rows: list[tuple[str, str]]) -> None:
    lines = [
        f"{text},{label},{'shop' if 'cheap' in text else 'work'}.example,{len(text) % 4}\n" for text, label in rows
    ]
    path.write_text("body,kind,domain,links\n" + "".join(lines), encoding="utf-8")
