"""Tables of pass@k."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
from myriad_judge import pass_at_k


def table(counts: Iterable[tuple[object, int, int]], ks: Iterable[int]) -> pa.Table:
    """Returns a row for each group, in order. Each `pass@k` is a column, null where a group is too small."""
    rows = sorted(counts, key=lambda row: (row[0] is None, str(type(row[0])), row[0]))
    columns = {
        "group": [group for group, _, _ in rows],
        "candidates": [candidates for _, candidates, _ in rows],
        "passed": [passed for _, _, passed in rows],
    }
    for k in ks:
        values = [pass_at_k(candidates, passed, k) for _, candidates, passed in rows]
        columns[f"pass@{k}"] = pa.array(values, pa.float64())
    return pa.table(columns)


def means(groups: pa.Table, ks: Iterable[int]) -> dict[int, float | None]:
    """Returns for each k the mean over the groups that have at least k candidates."""
    found = {}
    for k in ks:
        values = [value for value in groups[f"pass@{k}"].to_pylist() if value is not None]
        found[k] = sum(values) / len(values) if values else None
    return found
