"""`judge`: candidates become records."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from .process import Batch
from .record import Candidate, Record


def _text(text: str | os.PathLike[str] | None) -> str | None:
    if isinstance(text, os.PathLike):
        with open(text, encoding="utf-8", newline="") as file:
            return file.read()
    return text


class Judge:
    """A process that judges candidates by the same tests, call after call.

    `tests` are added to every candidate; `base` is the program that a candidate's functions replace or join. Both are
    texts, or paths (`pathlib.Path`). `replaces` is the function of the base that candidates must define: they may then
    add functions, but replace no other. A candidate whose tests execute more than `max_steps` instructions in total has
    the status `timeout`. This limit gives the same verdict on every machine, which a limit of seconds does not. Without
    it, only the limit of the language applies: a million instructions for each run of a test.
    `engine` is `cpu`, `gpu`, `all` or `auto`; `threads` is the number of CPU threads, by default all. `program` is the
    path of `myriad`; by default that in the environment variable MYRIAD, or else the one in PATH.

    Raises `BatchError` if the program cannot be called, or refuses `base` or `tests`. A candidate never raises.
    """

    def __init__(
        self,
        tests: str | os.PathLike[str] | None = None,
        *,
        base: str | os.PathLike[str] | None = None,
        replaces: str | None = None,
        max_steps: int | None = None,
        engine: str = "cpu",
        threads: int | None = None,
        program: str | os.PathLike[str] | None = None,
    ) -> None:
        arguments = ["--engine", engine]
        if threads is not None:
            arguments += ["--threads", str(threads)]
        named = os.fspath(program) if program is not None else None
        self._batch = Batch(base=_text(base), tests=_text(tests), program=named, arguments=arguments)
        self._text = "source" if base is None else "function"
        self._replaces = replaces
        self._max_steps = max_steps

    def judge(self, candidates: Sequence[Candidate]) -> list[Record]:
        """Returns a record for each candidate, in order."""
        return self._judge(candidates, 0)

    def stream(self, candidates: Iterable[Candidate], chunk: int = 256) -> Iterator[Record]:
        """Yields a record for each candidate, in order. It takes `chunk` candidates at a time: 1 answers each at once."""
        source, first = iter(candidates), 0
        while part := list(islice(source, chunk)):
            yield from self._judge(part, first)
            first += len(part)

    def _judge(self, candidates: Sequence[Candidate], first: int) -> list[Record]:
        fields = [{self._text: own} if isinstance(own, str) else dict(own) for own in candidates]
        lines = [{name: own[name] for name in ("source", "function", "replaces") if name in own} for own in fields]
        if self._replaces is not None:
            lines = [{"replaces": self._replaces, **line} for line in lines]
        answers = self._batch.judge(lines)
        return [self._record(number, *pair) for number, pair in enumerate(zip(fields, answers), first)]

    def _record(self, number: int, own: dict[str, Any], answer: dict[str, Any]) -> Record:
        steps, status = answer.get("steps", 0), answer["status"]
        if self._max_steps is not None and steps > self._max_steps:
            status = "timeout"
        return Record(
            id=own.get("id", number),
            group=own.get("group"),
            status=status,
            tests_passed=answer.get("tests_passed", 0),
            tests=answer.get("tests", 0),
            steps=steps,
            diagnostics=tuple(answer.get("diagnostics", ())),
            message=answer.get("message"),
            replaced=answer.get("replaced"),
        )

    def close(self) -> None:
        """Ends the process. A later call starts another one."""
        self._batch.close()

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *_: object) -> None:
        self._batch.__exit__()


def judge(
    candidates: Iterable[Candidate],
    tests: str | os.PathLike[str] | None = None,
    *,
    chunk: int = 256,
    base: str | os.PathLike[str] | None = None,
    replaces: str | None = None,
    max_steps: int | None = None,
    engine: str = "cpu",
    threads: int | None = None,
    program: str | os.PathLike[str] | None = None,
) -> Iterator[Record]:
    """Yields a record for each candidate, in order. `candidates` may be endless: it is read `chunk` at a time.

    The other arguments are those of `Judge`.
    """
    own = Judge(
        tests, base=base, replaces=replaces, max_steps=max_steps, engine=engine, threads=threads, program=program
    )
    with own:
        yield from own.stream(candidates, chunk)
