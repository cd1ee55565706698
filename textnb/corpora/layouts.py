"""How each corpus is laid out: from members by canonical name to documents in a fixed order."""

import html
from collections.abc import Callable, Iterator
from typing import NamedTuple

from textnb.corpora.archives import Members
from textnb.corpora.decoding import decode
from textnb.text.mail import as_message
from textnb.text.mail.canonical import canonical

MOST_REVIEWS_OF_A_FILM = 30
LINE_FILE_CLASSES = {
    "rt-polarity.neg": "neg",
    "rt-polarity.pos": "pos",
    "plot.tok.gt9.5000": "objective",
    "quote.tok.gt9.5000": "subjective",
}


class Document(NamedTuple):
    """A text with its class; its part, where the corpus has a split; and its group, where it has groups."""

    text: str
    label: str
    part: str | None = None
    group: str | None = None


def newsgroups(members: Members) -> Iterator[Document]:
    """`part/group/number`, Latin-1."""
    for name in sorted(members):
        part, group, _ = name.split("/")
        yield Document(members[name].decode("latin-1"), group, part)


def orange(members: Members) -> Iterator[Document]:
    """One member per part: `class TAB text` in each line, after four lines of header."""
    for part in sorted(members):
        for line in members[part].decode().split("\n")[4:]:
            if line:
                label, _, text = line.partition("\t")
                yield Document(text, label, part)


def labelled_lines(members: Members) -> Iterator[Document]:
    """`class TAB text` in each line, UTF-8."""
    for name in sorted(members):
        for line in _lines(members[name]):
            label, _, text = line.partition("\t")
            yield Document(text, label)


def class_files(members: Members) -> Iterator[Document]:
    """One member per class, one document per line, UTF-8."""
    for name in sorted(members):
        for line in _lines(members[name]):
            yield Document(line, LINE_FILE_CLASSES[name])


def class_folders(members: Members) -> Iterator[Document]:
    """`class/file` or `part/class/file`."""
    for name in sorted(members):
        *part, label, _ = name.split("/")
        yield Document(decode(members[name]), label, part[0] if part else None)


def film_reviews(members: Members) -> Iterator[Document]:
    """`part/class/number_stars.txt`. Reviews of a film, 30 at most, have numbers in a row: such runs are groups."""
    for name in sorted(members):
        part, label, file = name.split("/")
        run = int(file.partition("_")[0]) // MOST_REVIEWS_OF_A_FILM
        yield Document(decode(members[name]), label, part, f"{part}/{label}/{run}")


def mail(members: Members) -> Iterator[Document]:
    """`set/class/file`: raw messages, as plain text."""
    for name in sorted(members):
        yield Document(decode(members[name]), _mail_class(name))


def raw_mail(members: Members) -> Iterator[Document]:
    """The same as messages for the analyzer of mail."""
    for name in sorted(members):
        yield Document(canonical(as_message(members[name])), _mail_class(name))


def enron(members: Members) -> Iterator[Document]:
    """`enronN/class/number.date.owner.class.txt`, in the order of arrival within each of the six."""

    def arrival(name: str) -> tuple[str, int]:
        mailbox, _, file = name.split("/")
        return mailbox, int(file.partition(".")[0])

    for name in sorted(sorted(members), key=arrival):
        yield Document(decode(members[name]), name.split("/")[1])


def reuters(members: Members) -> Iterator[Document]:
    """SGML, Latin-1: the documents of the ModApte split with one topic, of topics that both parts have."""
    documents = [document for name in sorted(members) for document in _modapte(members[name].decode("latin-1"))]
    topics = {part: {document.label for document in documents if document.part == part} for part in ("train", "test")}
    shared = topics["train"] & topics["test"]
    return (document for document in documents if document.label in shared)


LAYOUTS: dict[str, Callable[[Members], Iterator[Document]]] = {
    layout.__name__: layout
    for layout in (newsgroups, orange, labelled_lines, class_files, class_folders, film_reviews, mail, enron, reuters)
}


def _mail_class(name: str) -> str:
    return "spam" if name.startswith("spam/") else "ham"


def _lines(content: bytes) -> list[str]:
    # Not str.splitlines, which also breaks lines at characters that stand inside these texts.
    return content.decode().removesuffix("\n").split("\n")


def _modapte(text: str) -> Iterator[Document]:
    for element in text.split("<REUTERS ")[1:]:
        attributes, _, content = element.partition(">")
        topics = _between(content, "<TOPICS>", "</TOPICS>").split("<D>")[1:]
        if 'TOPICS="YES"' not in attributes or len(topics) != 1:
            continue
        for part in ("train", "test"):
            if f'LEWISSPLIT="{part.upper()}"' in attributes:
                yield Document(_story(content), topics[0].removesuffix("</D>"), part)


def _story(content: str) -> str:
    """Title and body; a story that was never split into them is taken whole."""
    story = _between(content, "<TEXT", "</TEXT>").partition(">")[2]
    title, body = _between(story, "<TITLE>", "</TITLE>"), _between(story, "<BODY>", "</BODY>")
    return html.unescape(f"{title}\n{body}" if title or body else story).strip()


def _between(text: str, opening: str, closing: str) -> str:
    return text.partition(opening)[2].partition(closing)[0]
