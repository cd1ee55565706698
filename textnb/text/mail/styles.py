"""What styles do to text: whether people can read it. Style sheets, inline styles and attributes are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from textnb.text.mail.colours import BLACK, WHITE, Colour, is_unreadable, parse_colour
from textnb.text.mail.entities import unescape

_LONGEST_STYLE = 2000
_LONGEST_SELECTOR = 500
_MOST_RULES = 5000
_MOST_CLASSES = 20
_PROPERTIES = """
display visibility opacity mso-hide font font-size color background background-color background-image position left top
text-indent height width max-height max-width overflow
"""
_READ = frozenset(_PROPERTIES.split())
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_TINY = re.compile(r"(?:[01](?:\.\d{0,5})?|\.\d{1,5})(?:px|pt|%)?|0*(?:\.0*|\.[01]\d{0,5})?(?:r?em|ex)", re.ASCII)
_NOTHING = re.compile(r"0*(?:\.0\d{0,5})?(?:px|pt|%|r?em|ex)?", re.ASCII)
_FAR = re.compile(r"-(?:999|\d{4,9}|\d{3}(?=r?em|%|vw|vh))", re.ASCII)
_BRACE = re.compile(r"([{}])")
_SELECTOR = re.compile(r"(?:(?:html|body)\s+|\*)*+((?:[a-z][a-z0-9]*)?(?:[.#][\w-]+)?)")
# Media that are not the screen of a computer.
_OTHER_MEDIA = re.compile(r"print|speech|max-(?:device-)?width\s*:\s*\d{1,3}(?!\d)|color-scheme\s*:\s*dark")

Properties = Mapping[str, str]
# The properties of elements, classes and identifiers: `p`, `.name`, `p.name`, `#name`.
Sheet = Mapping[str, Properties]
# Colour and background, whether there is a background image, and the declarations, all as they are written.
Styling = tuple[str | None, str | None, bool, str | None]

HIDDEN: Properties = {"display": "none"}
NO_SHEET: Sheet = {"title": HIDDEN}  # a mail program shows no title


class Style(NamedTuple):
    """What makes text visible: it is not hidden, and its colour differs from its background (None: not known).

    What is hidden stays so; elements inside what is invisible or tiny may be shown again.
    """

    is_visible: bool = True
    is_hidden: bool = False
    is_invisible: bool = False
    is_tiny: bool = False
    colour: Colour = BLACK
    background: Colour | None = WHITE


@lru_cache(maxsize=1024)
def read_declarations(text: str) -> Properties:
    """The properties that may hide text, in lower case; of those that are there twice the last."""
    found: dict[str, str] = {}
    if "/*" in text:
        text = _COMMENT.sub("", text)
    for declaration in text[:_LONGEST_STYLE].lower().split(";"):
        name, _, value = declaration.partition(":")
        name = name.strip()
        if name in _READ:
            value = value.partition("!")[0].strip()
            if name == "font":
                sizes = [word.partition("/")[0] for word in value.split()]
                name, value = "font-size", "0" if any(map(_TINY.fullmatch, sizes)) else "medium"
            elif name.startswith("background"):
                name = "background"
            found[name] = value
    return found


def read_sheets(sheets: Iterable[str]) -> Sheet:
    """The properties by simple selectors, from style elements (what follows their name)."""
    rules: dict[str, Properties] = dict(NO_SHEET)
    for sheet in sheets:
        attributes, _, text = sheet.partition(">")
        if "{" in text and "print" not in attributes.lower():
            _add_rules(_COMMENT.sub("", text).lower(), rules)
    return rules


def _add_rules(text: str, rules: dict[str, Properties]) -> None:
    is_applied = [True]  # for each block around
    selectors = ""
    pieces = _BRACE.split(text)
    for before, brace in zip(pieces[::2], pieces[1::2], strict=False):  # behind the last brace is no rule
        if brace == "{":
            selectors = before.rpartition(";")[2].strip()
            is_applied.append(is_applied[-1] and not _OTHER_MEDIA.search(selectors[:_LONGEST_SELECTOR]))
            continue
        if is_applied[-1] and selectors and selectors[0] != "@":
            properties = read_declarations(before)
            if properties:
                _add_rule(selectors, properties, rules)
        selectors = ""
        if len(is_applied) > 1:
            is_applied.pop()


def _add_rule(selectors: str, properties: Properties, rules: dict[str, Properties]) -> None:
    for selector in selectors[:_LONGEST_SELECTOR].split(","):
        simple = _SELECTOR.fullmatch(selector.strip())
        if simple and simple[1] and len(rules) < _MOST_RULES:
            rules[simple[1]] = {**rules.get(simple[1], {}), **properties}


def ruled_properties(name: str, classes: str, identifier: str, sheet: Sheet) -> Properties:
    """What a style sheet says of an element."""
    found: dict[str, str] = {}
    names = classes.lower().split(maxsplit=_MOST_CLASSES)[:_MOST_CLASSES]
    keys = [name, *[f".{each}" for each in names], *[f"{name}.{each}" for each in names]]
    if identifier:
        keys += [f"#{identifier.lower()}", f"{name}#{identifier.lower()}"]
    for key in keys:
        if key in sheet:
            found.update(sheet[key])
    return found


def style_inside(style: Style, styling: Styling, ruled: Properties) -> Style:
    """The style inside an element with these attributes, of which a style sheet says this."""
    foreground, behind, has_image, declarations = styling
    properties = ruled
    if declarations:
        properties = {**ruled, **read_declarations(unescape(declarations))}
    _, is_hidden, is_invisible, is_tiny, colour, background = style
    get = properties.get
    if "visibility" in properties:
        is_invisible = get("visibility") in ("hidden", "collapse")
    if "font-size" in properties:
        is_tiny = _TINY.fullmatch(get("font-size", "")) is not None
    behind = get("background") or unescape(behind or "")
    if has_image or (behind and "url(" in behind):
        background = None
    elif behind:
        background = parse_colour(behind[:40])
    foreground = get("color") or unescape(foreground or "")
    if foreground == "transparent" and background:
        colour = background
    elif foreground:
        colour = parse_colour(foreground[:40]) or colour
    is_hidden = is_hidden or hides(properties)
    is_visible = not (is_hidden or is_invisible or is_tiny or is_unreadable(colour, background))
    return Style(is_visible, is_hidden, is_invisible, is_tiny, colour, background)


@lru_cache(maxsize=1024)
def style_without_sheet(style: Style, styling: Styling) -> Style:
    """The style inside an element with these attributes."""
    return style_inside(style, styling, {})


def hides(properties: Properties) -> bool:
    """Whether an element is not shown, whatever is inside it: there is none of it, or it is elsewhere, or cut off."""
    get = properties.get
    if get("display") == "none" or get("mso-hide") == "all":
        return True
    if any(get(name) and _NOTHING.fullmatch(get(name, "")) for name in ("opacity", "max-height", "max-width")):
        return True
    if get("overflow") in ("hidden", "clip") and any(_TINY.fullmatch(get(name, "")) for name in ("height", "width")):
        return True
    if _FAR.match(get("text-indent", "")):
        return True
    is_moved = get("position") in ("absolute", "fixed", "relative")
    return is_moved and any(_FAR.match(get(name, "")) for name in ("left", "top"))
