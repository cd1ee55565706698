"""A mail message as terms.

`render` turns a message into lines of blank-separated terms, which any word counter can count:

- A term of a header starts with an ASCII upper-case letter (`From:@example.com`, `Header:received:3`).
- A term of the content never does: words of the body are in lower case and have no colon in them, and everything else
  has a tag in lower case (`subject:Free`, `url:example.com`, `skip:a20`, `hidden:word`).

So nothing written in a body passes for a term of a header. Pairs of words are pairs within a line.
"""

from textnb.text.mail.message import as_message
from textnb.text.mail.presets import PRESETS
from textnb.text.mail.rendering import render

__all__ = ["PRESETS", "as_message", "render"]
