"""What somebody has set aside in a maildir: messages in the trash, and drafts. Imports little."""

from __future__ import annotations

import os
from pathlib import Path

from textnb.corpora.files import FLAGS, MAILDIR, beginning

_FLAG_OF = {"trash": "T", "drafts": "D"}  # by the name of their folder


class SetAside:
    """How many messages of a folder are in the trash, or drafts: they are read, and their class may be wrong.

    A message is set aside by a flag of its name, or by a maildir such as `.Trash` inside the folder.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.counts = dict.fromkeys(_FLAG_OF, 0)

    def count(self, path: str) -> None:
        """Count the file of a message, if it lies in a maildir."""
        folder, _, name = path.rpartition(os.sep)
        if folder.rpartition(os.sep)[2] not in MAILDIR:
            return
        flags = FLAGS.search(name)
        inside = Path(path.removeprefix(beginning(self.folder))).parts[:-2]
        folders = {part for folder in inside if folder.startswith(".") for part in folder.casefold().split(".")}
        for kind, flag in _FLAG_OF.items():
            self.counts[kind] += kind in folders or (flags is not None and flag in flags[1])

    def notices(self) -> list[str]:
        """What to tell people, if there is such a message."""
        counted = " and ".join(f"{n:,} in the {kind}" for kind, n in self.counts.items() if n)
        return [f"the messages of {self.folder} that are read include {counted}"] if counted else []
