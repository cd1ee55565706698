"""Colours of HTML attributes and styles, and whether text in one can be read on another."""

from __future__ import annotations

import re
from functools import lru_cache

Colour = tuple[int, int, int]

WHITE: Colour = (255, 255, 255)
BLACK: Colour = (0, 0, 0)
_NEAR = 24  # of 255 in every channel: less cannot be told apart on a screen

_NAMES: dict[str, Colour] = {
    "white": WHITE,
    "black": BLACK,
    "red": (255, 0, 0),
    "green": (0, 128, 0),
    "lime": (0, 255, 0),
    "blue": (0, 0, 255),
    "navy": (0, 0, 128),
    "yellow": (255, 255, 0),
    "aqua": (0, 255, 255),
    "cyan": (0, 255, 255),
    "fuchsia": (255, 0, 255),
    "magenta": (255, 0, 255),
    "gray": (128, 128, 128),
    "grey": (128, 128, 128),
    "silver": (192, 192, 192),
    "maroon": (128, 0, 0),
    "purple": (128, 0, 128),
    "teal": (0, 128, 128),
    "olive": (128, 128, 0),
    "orange": (255, 165, 0),
    "snow": (255, 250, 250),
    "ivory": (255, 255, 240),
    "ghostwhite": (248, 248, 255),
    "whitesmoke": (245, 245, 245),
    "floralwhite": (255, 250, 240),
    "mintcream": (245, 255, 250),
    "azure": (240, 255, 255),
}
_HEXADECIMAL = re.compile(r"#?([0-9a-f]{6}|[0-9a-f]{3})(?![0-9a-f])")
_DECIMAL = re.compile(r"rgba?\( ?(\d{1,3}) ?[, ] ?(\d{1,3}) ?[, ] ?(\d{1,3})")


@lru_cache(maxsize=1024)
def parse_colour(text: str) -> Colour | None:
    """A colour by name or by its channels; None if it cannot be read."""
    text = text.strip().lower()
    if text in _NAMES:
        return _NAMES[text]
    if found := _HEXADECIMAL.match(text):
        digits = found[1] if len(found[1]) == 6 else "".join([digit * 2 for digit in found[1]])
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)
    if found := _DECIMAL.match(text):
        return min(int(found[1]), 255), min(int(found[2]), 255), min(int(found[3]), 255)
    return None


def is_unreadable(colour: Colour, background: Colour | None) -> bool:
    """Whether text of this colour cannot be seen on a background; None is one that is not known."""
    return background is not None and all(abs(a - b) <= _NEAR for a, b in zip(colour, background, strict=True))
