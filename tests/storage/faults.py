"""Every call of the system that a save, a learn, a merge and so on make fails once, or is the last one before a kill.

What is there afterwards is the old file or the new one, whole, and nothing else; the exit code says which, in one line
on stderr. After a kill, too, the old file or the new one is there; the same command then does all that it would have
done, and leaves nothing else behind.

    python tests/storage/faults.py              # all of them, some minutes
    python tests/storage/faults.py --every 50   # each fiftieth

Calls are counted by `faults.c`, which is compiled and loaded before the C library.
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import io
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

HERE = Path(__file__).parent
LIBRARY = "TEXTNB_FAULTS"  # the variable that names the compiled library
KILLED = ".partial"  # what only a killed download leaves, in the cache
CODES = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO}
WAYS = {
    **CODES,
    **{f"{name} from then on": -code for name, code in CODES.items()},
    "read-only from then on": -errno.EROFS,
    "kill": 0,
}
LOCKS = (".queue", ".lock")  # what a lock file ends with, which stays and serves again where one of these fails:
LOCKING = ("flock", "seek", "stat", "unlink")


def compiled(folder: Path) -> Path:
    """The library of faults; an error where there is no compiler, or no system for it."""
    library = folder / "faults.so"
    call = ["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(HERE / "faults.c"), "-ldl"]
    subprocess.run(call, check=True, capture_output=True, text=True)
    return library


class Operation(NamedTuple):
    """Something that changes one file of a folder, from one whole content to another."""

    prepare: Callable[[Path], Any]  # fills an empty folder
    run: Callable[[], int]  # in that folder; its exit code
    changed: str
    must_change: bool = True  # or whether it may succeed without


@dataclass
class Tally:
    """What happened so far."""

    faults: Counter[str] = field(default_factory=Counter)  # by the name of the call
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="fail only each nth call")
    parser.add_argument("--only", default="", help="the operations whose names have this in them")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if LIBRARY not in os.environ:
            library = str(compiled(Path(folder)))
            environment = {**os.environ, "LD_PRELOAD": library, LIBRARY: library}
            return subprocess.run([sys.executable, *sys.argv], env=environment).returncode
        os.environ.pop("LD_PRELOAD")
        return run_all(Path(folder), arguments.every, arguments.only)


def run_all(folder: Path, every: int, only: str) -> int:
    faults = ctypes.CDLL(os.environ[LIBRARY])
    faults.faults_name.restype = ctypes.c_char_p
    tally = Tally()
    for name, operation in operations(folder).items():
        if only in name:
            sweep(name, operation, folder / "work", faults, every, tally)
    print(f"{sum(tally.faults.values()):,} faults injected, {len(tally.failures)} not survived")
    print("  " + ", ".join(f"{name} {count:,}" for name, count in tally.faults.most_common()))
    print("  " + ", ".join(f"{name} {count:,}" for name, count in sorted(tally.outcomes.items())))
    for failure in tally.failures:
        print(failure)
    return bool(tally.failures)


def sweep(name: str, operation: Operation, work: Path, faults: Any, every: int, tally: Tally) -> None:
    """All calls of an operation, in all ways; with `every`, other ones of each way."""

    def fresh() -> Path:
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        operation.prepare(work)
        os.chdir(work)
        return work / operation.changed

    target = fresh()
    before = content(target)
    with mock.patch("sys.stdout", io.StringIO()), mock.patch("sys.stderr", io.StringIO()):
        assert operation.run() == 0, name  # also imports all that it needs
    after, others = content(target), names(work)
    fresh()
    code, said = in_child(operation.run, faults, 1 << 30, errno.EIO)
    assert (code, content(target)) == (0, after), (name, said)
    n_calls = faults.faults_calls()
    for offset, (way, code) in enumerate(WAYS.items()):
        for nth in range(1 + offset * every // len(WAYS), n_calls + 1, every):
            fresh()
            existing = names(work)
            ended, said = in_child(operation.run, faults, nth, code)
            where = f"{name}, {way} at call {nth} of {n_calls} ({faults.faults_name().decode()})"
            tally.faults[faults.faults_name().decode() or "none"] += 1
            found, left = content(target), names(work)
            is_new = found == after and (before != after)
            tally.outcomes["killed" if way == "kill" else "done" if is_new else "refused"] += 1
            wrong = []
            if found not in (before, after):
                wrong.append("neither the old file nor the new one")
            if way == "kill":
                if ended != -signal.SIGKILL:
                    wrong.append(f"was not killed, but ended with {ended}")
                again, said = in_child(operation.run, faults, 0, 0)
                left = {file for file in names(work) if not file.endswith(KILLED)}
                if (again, content(target), left) != (0, after, others) and not is_new:
                    wrong.append(f"does not go on: {again}, {sorted(left ^ others)}")
            else:
                wrong += untruths(operation, ended, said, is_new)
                stays = {file for file in left - existing - others if not file.endswith(LOCKS)}
                if stays:
                    wrong.append(f"left behind {sorted(stays)}")
                if left - existing - others - stays and faults.faults_name().decode() not in LOCKING:
                    wrong.append("left a lock file behind")
            tally.failures += [f"{where}: {what}; said {said!r}" for what in wrong]


def untruths(operation: Operation, ended: int, said: str, is_new: bool) -> Iterator[str]:
    if ended == 0 and not is_new and operation.must_change:
        yield "reports success, and nothing has changed"
    if ended != 0 and is_new:
        yield f"reports failure ({ended}), and has done it"
    if ended not in (0, 2):
        yield f"ended with {ended}"
    lines = said.splitlines()
    if (ended == 2 and not lines) or "mistake" in said or not all(line.startswith("textnb: ") for line in lines):
        yield "does not say why in a line of ours"


def in_child(run: Callable[[], int], faults: Any, nth: int, code: int) -> tuple[int, str]:
    """The exit code of a forked child in which a call fails, and what it says on stderr."""
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if child == 0:
            ended = 70
            try:
                os.dup2(said.fileno(), 2)
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
                sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
                faults.faults_arm(nth, code)
                try:
                    ended = run()
                finally:
                    faults.faults_arm(0, 0)
                    sys.stderr.flush()
            except BaseException:
                import traceback

                traceback.print_exc()
                sys.stderr.flush()
            finally:
                os._exit(ended)
        ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said.seek(0)
        return ended, said.read().decode()


def content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


# What is done


def operations(folder: Path) -> dict[str, Operation]:
    import textnb as library
    from textnb.cli.app import run
    from textnb.cli.failures import report_failure

    with mock.patch("sys.stderr", io.StringIO()):  # so that nothing is imported later on
        run(["inspect", "missing.tnb"])
        warnings.warn("as usual", stacklevel=1)
    choose = random.Random(0)
    rows = [(" ".join(f"w{choose.randrange(300)}" for _ in range(12)), ("ham", "spam")[i % 2]) for i in range(60)]
    texts, labels = map(list, zip(*rows, strict=True))
    stored = folder / "stored"
    stored.mkdir()
    classifier = library.TextClassifier("multinomial", "counts", calibrate=False).fit(texts, labels)
    classifier.save(stored / "m.tnb")
    library.TextClassifier("multinomial", "counts", calibrate=False).fit(texts[:20], labels[:20]).save(stored / "b.tnb")
    (stored / "t.csv").write_text("text,label\n" + "".join(f"{text},{label}\n" for text, label in rows))
    (stored / "message").write_text("a message with words of its own\n")
    classifier.learn(["another one"], ["ham"])
    (stored / "learned").write_text(texts[0])

    def with_files(*names: str) -> Callable[[Path], None]:
        def prepare(work: Path) -> None:
            for name in names:
                shutil.copy(stored / name, work / name)

        return prepare

    def call(*words: str) -> Callable[[], int]:
        return lambda: run([*words, "--quiet"] if words[0] in ("train", "merge") else list(words))

    def save() -> int:
        try:
            classifier.save("m.tnb")
        except (OSError, ValueError) as error:
            return report_failure(error, 2)
        return 0

    learn = ("learn", "m.tnb", "--label", "ham", "message")
    forget = ("forget", "m.tnb", "--label", labels[0], "learned")
    merge = ("merge", "m.tnb", "b.tnb", "--output", "new.tnb")
    train = ("train", "t.csv", "--model", "multinomial", "--weights", "counts", "--output", "new.tnb")
    return {
        "save": Operation(with_files("m.tnb"), save, "m.tnb"),
        "learn": Operation(with_files("m.tnb", "message"), call(*learn), "m.tnb"),
        "forget": Operation(with_files("m.tnb", "learned"), call(*forget), "m.tnb"),
        "start": Operation(with_files("message"), call("learn", "new.tnb", *learn[2:]), "new.tnb"),
        "merge": Operation(with_files("m.tnb", "b.tnb"), call(*merge), "new.tnb"),
        "compact": Operation(with_files("m.tnb"), call("compact", "m.tnb", "--output", "new.tnb"), "new.tnb"),
        "train": Operation(with_files("t.csv"), call(*train), "new.tnb"),
        "train --checkpoint": Operation(with_files("t.csv"), call(*train, "--checkpoint", "c.part"), "new.tnb"),
        "checkpoint": interrupted_training(with_files("t.csv"), call(*train, "--checkpoint", "c.part")),
        "resume": resumed_training(with_files("t.csv"), call(*train, "--checkpoint", "c.part")),
        "fetch": download(folder),
    }


def interrupted_training(prepare: Callable[[Path], None], call: Callable[[], int]) -> Operation:
    """A training that is interrupted in its third block, and writes a checkpoint."""
    from textnb.text import documents
    from textnb.workflow.stream import StreamLearner

    take = StreamLearner._take

    def run() -> int:
        taken = iter(range(1000))

        def take_and_interrupt(learning: StreamLearner, block: Any) -> None:
            if next(taken) == 2:
                os.kill(os.getpid(), signal.SIGINT)
            take(learning, block)

        with (
            mock.patch.object(documents, "BLOCK_CHARACTERS", 400),
            mock.patch.object(StreamLearner, "_take", take_and_interrupt),
        ):
            code = call()
        return 0 if code == 130 else code

    return Operation(prepare, run, "c.part")


def resumed_training(prepare: Callable[[Path], None], call: Callable[[], int]) -> Operation:
    """One that goes on from there; the checkpoint is gone when it is done."""
    interrupted = interrupted_training(prepare, call)

    def prepare_resumed(work: Path) -> None:
        prepare(work)
        os.chdir(work)
        with mock.patch("sys.stderr", io.StringIO()):
            assert interrupted.run() == 0

    return Operation(prepare_resumed, call, "new.tnb")


def download(folder: Path) -> Operation:
    """A corpus from its address into the cache."""
    from corpora.small_corpus import MEMBERS, entry_at, tar_of

    from textnb.cli.failures import report_failure
    from textnb.corpora.cache import cache_file
    from textnb.corpora.sources import find_members

    archive = folder / "small.tar.gz"
    archive.write_bytes(tar_of(MEMBERS))
    entry = entry_at(archive.as_uri())
    os.environ.pop("TEXTNB_CORPORA", None)
    os.environ["TEXTNB_CACHE"] = str(folder / "work" / "cache")
    name = cache_file(entry.editions[0]).name

    def run() -> int:
        try:
            _, members = find_members(entry)
        except (OSError, ValueError) as error:
            return report_failure(OSError(errno.EIO, str(error).replace("\n", " ")), 2)
        assert members == MEMBERS
        return 0

    return Operation(lambda work: None, run, f"cache/{name}", must_change=False)


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    sys.exit(main())
