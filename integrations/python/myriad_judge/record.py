"""Candidates and the records of their verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, Union

Status = Literal[
    "pass", "fail", "trap", "timeout", "unfinished", "discarded", "untested", "invalid", "missing", "refused", "error"
]


class Diagnostic(TypedDict, total=False):
    """An error of a program that does not compile, with the fields of `myriad check --format json`."""

    code: str
    message: str
    line: int
    column: int


# The text of a program (of functions, with a base); or fields: `source` or `function`, and perhaps `id`, `group` and `replaces`.
Candidate = Union[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Record:
    """The verdict on a candidate."""

    # The candidate's own `id`; its number from 0 if it has none.
    id: Any
    # The candidate's `group`, or None.
    group: Any
    status: Status
    # The number of its tests and properties that pass, and of all of them.
    tests_passed: int
    tests: int
    # The instructions that all tests execute.
    steps: int
    # The errors of a candidate that does not compile.
    diagnostics: tuple[Diagnostic, ...] = ()
    # Why a line is not a candidate, or why a candidate was not tested.
    message: str | None = None
    # Without `replaces`: the function of the base that the candidate replaces.
    replaced: str | None = None

    @property
    def passes(self) -> bool:
        """Whether every test passes, and there is one."""
        return self.status == "pass"

    @property
    def share(self) -> float:
        """The share of the tests that pass, from 0 to 1: a reward that is not only 0 or 1."""
        return self.tests_passed / self.tests if self.tests else 0.0
