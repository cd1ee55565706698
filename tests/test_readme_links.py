"""Links between the documents, and the files that they name, exist."""

import re
from urllib.parse import unquote

from documentation import DOCUMENTS, ROOT, every_document


def content(path):
    return path.read_text(encoding="utf-8")


def prose(path):
    """A document without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", content(path), flags=re.MULTILINE | re.DOTALL)


def anchors(path):
    """What GitHub calls the headings of a document."""
    headings = re.findall(r"^#+ +(.+?) *$", prose(path), re.MULTILINE)
    plain = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]
    return {name if plain[:i].count(name) == 0 else f"{name}-{plain[:i].count(name)}" for i, name in enumerate(plain)}


def leads_somewhere(document, target):
    path, _, anchor = unquote(target).partition("#")
    found = (document.parent / path).resolve() if path else document
    return found.exists() and found.is_relative_to(ROOT) and (not anchor or anchor in anchors(found))


@every_document
def test_relative_links_lead_to_files_and_headings(document):
    targets = re.findall(r"\]\(([^)\s]+)\)", prose(document))
    relative = [target for target in targets if not re.match(r"[a-z]+:", target)]
    assert [target for target in relative if not leads_somewhere(document, target)] == []


@every_document
def test_files_and_folders_that_are_named_exist(document):
    named = re.findall(r"`((?:benchmarks|textnb|corpora_scripts|tests|docs)(?:/[\w.]+)+/?)`", content(document))
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_map_of_the_code_has_every_folder():
    folders = {path.parent.name for path in (ROOT / "textnb").glob("*/__init__.py")}
    listed = set(re.findall(r"^\| `textnb/(\w+)` \|", content(ROOT / "CONTRIBUTING.md"), re.MULTILINE))
    assert folders and folders == listed


def test_every_document_is_linked_from_the_first():
    linked = set(re.findall(r"\]\((docs/[\w.-]+|[A-Z]+\.md)\)", content(ROOT / "README.md")))
    others = {str(path.relative_to(ROOT)) for path in DOCUMENTS} - {"README.md"}
    assert others - linked == set()
