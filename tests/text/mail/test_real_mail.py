"""Real mail, all of it, is read without an exception, a warning or a character that was lost."""

import os
import tarfile
from pathlib import Path

import pytest

from textnb.text.mail import as_message, render

ARCHIVE = Path(os.environ.get("TEXTNB_CORPORA", ""), "spamassassin.tar.xz")


@pytest.mark.slow
@pytest.mark.skipif(not ARCHIVE.is_file(), reason="needs spamassassin.tar.xz in $TEXTNB_CORPORA")
@pytest.mark.filterwarnings("error")
def test_every_message_of_spamassassin_is_read():
    n_messages = n_other_charsets = 0
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            if not member.isfile() or ("ham" not in member.name and "spam-" not in member.name):
                continue
            message = archive.extractfile(member).read()
            n_messages += 1
            try:
                message.decode()
            except UnicodeDecodeError:
                n_other_charsets += 1
            rendered = render(as_message(message))
            assert "\ufffd" not in rendered, member.name
            assert max(map(len, rendered.split())) <= 64, member.name
    assert (n_messages, n_other_charsets) == (6046, 500)
