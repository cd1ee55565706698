"""Tables that lie together in a folder or an archive: its `train` and `test` tables are the parts of a corpus."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from textnb.corpora.files import PARTS, TABLE_NAME, beginning, table_format
from textnb.corpora.packed import Archive, ArchiveError
from textnb.corpora.problems import Problem
from textnb.corpora.rows import BadTable, Note, ReadOptions, Report, Row
from textnb.corpora.tables import table_rows

PART_NAME = re.compile(rf"({'|'.join(PARTS)})(?:[-_.]|\Z)")
DATA = "data"  # the folder that may hold them
NEITHER = "it is a table of neither train nor test"


def part_of_table(place: str) -> str | None:
    """The part that a table is, by its name: `train.csv`, `data/test-00000-of-00001.parquet`."""
    name = PurePosixPath(place).name
    found = PART_NAME.match(name)
    return found[1] if found and TABLE_NAME.search(name) else None


def tables_of_folder(folder: Path) -> list[Path]:
    """The tables that are parts of a corpus, the train part first; and then others that lie beside them.

    A folder that has other folders is one of class folders.
    """
    tables: list[Path] = []
    if any(path.is_dir() and path.name != DATA and not path.name.startswith(".") for path in folder.iterdir()):
        return []
    for place in (folder, folder / DATA):
        if place.is_dir() and not tables:
            files = sorted(path for path in place.iterdir() if not path.name.startswith("."))
            tables = [path for path in files if path.is_file() and TABLE_NAME.search(path.name)]
            tables = in_order(tables) if any(part_of_table(path.name) for path in tables) else []
    return tables


def in_order(tables: Iterable[Path]) -> list[Path]:
    order = {"train": 0, "test": 1, None: 2}
    return sorted(tables, key=lambda path: (order[part_of_table(path.name)], path.name))


def folder_table_rows(
    folder: Path, tables: Sequence[Path], options: ReadOptions, report: Report, note: Note
) -> Iterator[Row]:
    """The rows of the tables of a folder, each located by its file."""
    above = beginning(folder)
    for path in tables:
        place = str(path).removeprefix(above)
        if path.is_symlink():
            report(Problem(place, "it is a link, which is not followed"))
        elif part_of_table(place) is None:
            report(Problem(place, NEITHER))
        else:
            with path.open("rb") as file:
                yield from _rows(file, place, options, report, note)


def tables_of_archive(archive: Archive) -> list[str]:
    """The places of the tables in an archive of tables: they lie in one folder, all other files in it or above it."""
    places = list(map(PurePosixPath, archive.places.values()))
    tables = [place for place in places if TABLE_NAME.search(place.name)]
    folders = {place.parent for place in tables}
    if len(folders) != 1:
        return []
    (folder,) = folders
    beside = {folder, *folder.parents}
    return [str(place) for place in tables] if all(place.parent in beside for place in places) else []


def archive_table_rows(
    archive: Archive, tables: Sequence[str], options: ReadOptions, report: Report, note: Note
) -> Iterator[Row]:
    """The rows of the tables of an archive; if some are parts of a corpus, of those alone."""
    has_parts = any(map(part_of_table, tables))
    try:
        for place, member in archive:
            if place not in tables:
                note(f"{place} is no table, and is not read")
            elif has_parts and part_of_table(place) is None:
                report(Problem(place, NEITHER))
            else:
                yield from _rows(member, place, options, report, note)
    except ArchiveError as error:
        report(Problem("the rest of the archive", str(error)))


def _rows(file: object, place: str, options: ReadOptions, report: Report, note: Note) -> Iterator[Row]:
    try:
        yield from table_rows(file, place, table_format(place), options, report, f"{place}: ", note=note)
    except BadTable as error:
        raise BadTable(f"{place}: {error}") from error
