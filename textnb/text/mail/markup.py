"""HTML to the text it displays, the text it hides, and its links, in one pass over the tags."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from textnb.compiled import compiled_kernel
from textnb.text.mail.entities import unescape
from textnb.text.mail.links import LONGEST_LINK
from textnb.text.mail.styles import (
    HIDDEN,
    NO_SHEET,
    Sheet,
    Style,
    read_sheets,
    ruled_properties,
    style_inside,
    style_without_sheet,
)

MOST_LINKS = 200

# Elements whose text is not displayed, with that text; tags (a ">" in quotes does not end one, and the last may have
# none); comments and declarations.
_TAG = re.compile(
    r"""<(?:(?ai:(script|style|template|noframes))\b.*?(?:</(?ai:\1)[^>]*+>?|\Z)"""
    r"""|(/?)([a-zA-Z][a-zA-Z0-9]{0,30}+)((?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+')?+)*+)>?"""
    r"""|!--(?:-?>|.*?(?:--!?>|\Z))|[!?/][^>]*+>?)""",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""([a-zA-Z-]{1,30}+)\s*+=\s*+("[^"]*+"?|'[^']*+'?|[^\s>]++)""")
_VALUE = re.compile(r"""=\s*+("[^"]*+"|'[^']*+')?+""")
_HIDDEN = re.compile(r"""(?<=[\s/"'])(?ai:hidden)(?=[\s/=]|\Z)""")
_LONGEST_ATTRIBUTES = 2000
_BLOCKS = """
p br div td tr th table li ul ol h1 h2 h3 h4 h5 h6 hr center blockquote title option dd dt dl form body html head pre
address section article header footer main tbody thead caption
"""
_BREAKING = frozenset(_BLOCKS.split())
_EMPTY = frozenset({"br", "img", "hr", "input", "meta", "link", "area", "base", "col", "wbr"})
_LINKING = frozenset({"href", "src", "action", "background"})
_STYLING = frozenset({"style", "color", "bgcolor", "background", "text"})
_RULED = frozenset({"class", "id"})
_WANTED = _LINKING | _STYLING | {"alt"}
# The elements that each element ends, unless they are around a table or list that it is in.
_ENDS = {name: frozenset({"p"}) for name in _BLOCKS.split()} | {
    "li": frozenset({"p", "li"}),
    "dd": frozenset({"p", "dd", "dt"}),
    "dt": frozenset({"p", "dd", "dt"}),
    "td": frozenset({"p", "td", "th"}),
    "th": frozenset({"p", "td", "th"}),
    "tr": frozenset({"p", "td", "th", "tr"}),
}
for _name in ("br", "table", "title", "option", "head", "html", "body"):
    del _ENDS[_name]
_ENDED = frozenset({"p", "li", "dd", "dt", "td", "th", "tr"})
_AROUND = frozenset({"table", "ul", "ol", "dl"})
_NONE: frozenset[str] = frozenset()


class Display(NamedTuple):
    """What a browser makes of HTML."""

    visible: str
    hidden: str
    links: list[str]
    tags: set[str]


def read_html(html: str) -> Display:
    """Tags are deleted, so that words split by them are whole; those that break the line become a blank."""
    kernel = compiled_kernel()
    walk = walk_tags if kernel is None else kernel.mail_markup
    known = (_LONGEST_ATTRIBUTES, apply_attributes, Style(), _BREAKING, _EMPTY, _ENDS, _ENDED, _AROUND)
    visible, hidden, links, tags, sheets = walk(html, NO_SHEET, _WANTED, *known)
    sheet = read_sheets(sheets) if sheets else NO_SHEET
    if len(sheet) > len(NO_SHEET):  # it may come after what it hides
        visible, hidden, links, tags, _ = walk(html, sheet, _WANTED | _RULED, *known)
    return Display(unescape(visible), unescape(hidden), list(links), tags)


def walk_tags(
    html: str, sheet: Sheet, wanted: frozenset[str], *known: object
) -> tuple[str, str, dict[str, None], set[str], list[str]]:
    """What is displayed before references are resolved, what is hidden, the links, names of tags, and style sheets.

    `known` is what the kernel gets of this module.
    """
    texts: tuple[list[str], list[str]] = ([], [])
    visible, hidden = texts
    links: dict[str, None] = {}
    tags: set[str] = set()
    sheets: list[str] = []
    style = Style()
    endable = _NONE  # open elements that another may end
    opened: list[tuple[str, Style, frozenset[str]]] = []  # elements that may end a style, with what was before them
    n_open: dict[str, int] = {}
    text = visible
    position = 0
    for tag in _TAG.finditer(html):
        start, end = tag.span()
        if start > position:
            text.append(html[position:start])
        position = end
        undisplayed, closing, name, attributes = tag.groups()
        if name is None:
            tags.add(
                undisplayed.lower() if undisplayed else "comment" if html.startswith("!--", start + 1) else "other"
            )
            if undisplayed and undisplayed.lower() == "style":
                sheets.append(html[tag.end(1) : end])
            continue
        name = name.lower()
        if name in _BREAKING:
            text.append(" ")
        if closing:
            if n_open.get(name):
                style, endable = _close({name}, opened, n_open)
                text = visible if style.is_visible else hidden
            continue
        tags.add(name)
        if endable and name in _ENDS:
            while ended := endable & _ENDS[name]:
                style, endable = _close(ended, opened, n_open)
                text = visible if style.is_visible else hidden
        inner = style
        given = find_attributes(attributes[:_LONGEST_ATTRIBUTES], wanted) if "=" in attributes else {}
        is_hidden = is_marked_hidden(attributes)
        if given or is_hidden or name in sheet:
            inner = apply_attributes(name, given, is_hidden, style, texts, links, sheet)
        if (inner is not style or name in _AROUND or n_open.get(name)) and name not in _EMPTY:
            opened.append((name, style, endable))
            n_open[name] = n_open.get(name, 0) + 1
            endable = _NONE if name in _AROUND else endable | {name} if name in _ENDED else endable
            style = inner
            text = visible if style.is_visible else hidden
    text.append(html[position:])
    return "".join(visible), "".join(hidden), links, tags, sheets


def _close(
    names: AbstractSet[str], opened: list[tuple[str, Style, frozenset[str]]], n_open: dict[str, int]
) -> tuple[Style, frozenset[str]]:
    """What was before the innermost open element of one of these names, and those inside it."""
    while True:
        closed, style, endable = opened.pop()
        n_open[closed] -= 1
        if closed in names:
            return style, endable


def is_marked_hidden(attributes: str) -> bool:
    """Whether the attribute `hidden` is there, with any value or none."""
    if "hidden" not in attributes.lower():
        return False
    return _HIDDEN.search(_VALUE.sub(lambda value: '="' if value[1] else "=", attributes)) is not None


def find_attributes(text: str, wanted: frozenset[str]) -> dict[str, str]:
    """The last value of each of these attributes as it is written, without quotes and blanks around it."""
    found = [(name.lower(), value) for name, value in _ATTRIBUTE.findall(text)]
    return {name: value.strip("\"' \n\t") for name, value in found if name in wanted}


def apply_attributes(
    name: str,
    attributes: dict[str, str],
    is_hidden: bool,
    style: Style,
    texts: tuple[list[str], list[str]],
    links: dict[str, None],
    sheet: Sheet,
) -> Style:
    """The style inside an element with these attributes, whose other text and links are added."""
    is_styled = False
    has_room = len(links) < MOST_LINKS
    for given, value in attributes.items():
        if given in _LINKING and has_room:
            links[unescape(value)[:LONGEST_LINK]] = None
        if given in _STYLING:
            is_styled = True
    get = attributes.get
    ruled = HIDDEN if is_hidden else {}
    if name in sheet or "class" in attributes or "id" in attributes:
        ruled = {**ruled, **ruled_properties(name, get("class", ""), get("id", ""), sheet)}
    inner = style
    if is_styled or ruled:
        styling = (get("color") or get("text"), get("bgcolor"), "background" in attributes, get("style"))
        inner = style_inside(style, styling, ruled) if ruled else style_without_sheet(style, styling)
    if "alt" in attributes:
        texts[not inner.is_visible].append(f" {unescape(attributes['alt'])} ")
    return inner
