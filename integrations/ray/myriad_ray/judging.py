"""`judge`: a Dataset of candidates becomes a Dataset of verdicts."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa
import ray
from myriad_judge import Batch

from .passing import means, table

VERDICT = pa.schema(
    [
        ("status", pa.string()),
        ("tests_passed", pa.int64()),
        ("tests", pa.int64()),
        ("steps", pa.int64()),
        # As JSON, null where there are none.
        ("diagnostics", pa.string()),
        # Of a row that is no candidate, or that is not tested: why.
        ("message", pa.string()),
        # Without `replaces`: the function of the base that the candidate replaces.
        ("replaced", pa.string()),
    ]
)
TEXTS = ("source", "function")
FIELDS = (*TEXTS, "replaces")


@dataclass(frozen=True)
class Judged:
    """What came of a Dataset."""

    # The columns `id` and `group` as they were, and those of VERDICT: a row for each candidate, in no certain order.
    verdicts: ray.data.Dataset
    # `group`, `candidates`, `passed`, and `pass@k` for each k; null where a group has fewer than k.
    groups: pa.Table
    # Of each k the mean over the groups that have as many.
    pass_at: dict[int, float | None]


class _Judge:
    """What a worker holds: a process, from the first rows to the last."""

    def __init__(self, **call: object) -> None:
        self._batch = Batch(**call)

    def __call__(self, rows: pa.Table) -> pa.Table:
        texts = {name: rows[name].to_pylist() for name in FIELDS if name in rows.column_names}
        candidates = [{name: texts[name][row] for name in texts} for row in range(rows.num_rows)]
        records = self._batch.judge(candidates)
        for record in records:
            if "diagnostics" in record:
                record["diagnostics"] = json.dumps(record["diagnostics"])
        kept = rows.select([name for name in ("id", "group") if name in rows.column_names])
        for field in VERDICT:
            kept = kept.append_column(field, pa.array([r.get(field.name) for r in records], field.type))
        return kept


def _counts(verdicts: pa.Table) -> pa.Table:
    """Of the groups in some verdicts how many there are, and how many pass."""
    groups = verdicts["group"] if "group" in verdicts.column_names else pa.nulls(verdicts.num_rows, pa.string())
    is_candidate = pa.compute.not_equal(verdicts["status"], "error")
    passes = pa.compute.cast(pa.compute.equal(verdicts["status"], "pass"), pa.int64())
    counted = pa.table({"group": groups, "passed": passes}).filter(is_candidate)
    return counted.group_by("group").aggregate([("passed", "count"), ("passed", "sum")])


def _text(of: str | os.PathLike | None) -> str | None:
    if isinstance(of, os.PathLike):
        with open(of, encoding="utf-8", newline="") as file:
            return file.read()
    return of


def judge(
    dataset: ray.data.Dataset,
    base: str | os.PathLike | None = None,
    k: Iterable[int] = (1, 10),
    *,
    tests: str | os.PathLike | None = None,
    program: str | None = None,
    threads: int = 1,
    engine: str | None = None,
    workers: int | tuple[int, int] | None = None,
    num_gpus: float = 0,
    batch_size: int = 512,
    **ray_remote_args: object,
) -> Judged:
    """Judges the candidates of `dataset`, which has a column `source`, or `function` with a base, and perhaps `id`, `group`
    and `replaces`: the function of the base that a candidate must define, and the only one that it may replace.

    `base` and `tests` are the text of a program, or a path (`pathlib.Path`) that the caller sees; workers get the text.
    `program` is the `myriad` that each node has (else the environment's MYRIAD, else the one in PATH). Each worker has
    `threads` cores and `num_gpus` GPUs of Ray's resources; `workers` is how many there are, or (least, most), as in
    `map_batches`, which gets `ray_remote_args` too. A worker that dies is replaced, and its rows are judged again: each
    candidate has one verdict, that of one process, whatever dies.
    """
    ks = tuple(k)
    if any(isinstance(one, bool) or not isinstance(one, int) or one < 1 for one in ks):
        raise ValueError("k is a number from 1 on, or several")
    engine = engine or ("gpu" if num_gpus else "cpu")
    arguments = ["--engine", engine, "--threads", str(threads)]
    call = {"base": _text(base), "tests": _text(tests), "program": program, "arguments": arguments}
    names = set(dataset.columns() or ())
    if names and not names & set(TEXTS):
        raise ValueError(f"a candidate has a `source` or a `function`; these rows have {', '.join(sorted(names))}")
    most = max(1, int(ray.cluster_resources().get("CPU", 1)) // threads)
    verdicts = dataset.map_batches(
        _Judge,
        fn_constructor_kwargs=call,
        batch_format="pyarrow",
        batch_size=batch_size,
        concurrency=workers or (1, most),
        num_cpus=threads,
        num_gpus=num_gpus or None,
        **ray_remote_args,
    ).materialize()
    found: dict[object, list[int]] = {}
    counts = verdicts.map_batches(_counts, batch_format="pyarrow", batch_size=None)
    for row in counts.iter_rows():
        counted = found.setdefault(row["group"], [0, 0])
        counted[0] += row["passed_count"]
        counted[1] += row["passed_sum"]
    groups = table(((group, *counted) for group, counted in found.items()), ks)
    return Judged(verdicts, groups, means(groups, ks))
