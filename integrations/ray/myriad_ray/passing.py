"""pass@k."""

from __future__ import annotations

import math
from collections.abc import Iterable

import pyarrow as pa


def pass_at_k(candidates: int, passed: int, k: int) -> float | None:
    """How likely it is that one of k passes: 1 - C(n-c, k) / C(n, k), unbiased; None of fewer than k.

    As a product, so that no factorial overflows: M. Chen et al., "Evaluating Large Language Models Trained on Code" (2021).
    """
    if k > candidates:
        return None
    if candidates - passed < k:
        return 1.0
    return 1.0 - math.prod(1.0 - k / i for i in range(candidates - passed + 1, candidates + 1))


def table(counts: Iterable[tuple[object, int, int]], ks: Iterable[int]) -> pa.Table:
    """A row for each group, in order, and `pass@k` in a column of its own, null where a group is too small."""
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
    """Of each k the mean over the groups that have enough candidates."""
    found = {}
    for k in ks:
        values = [value for value in groups[f"pass@{k}"].to_pylist() if value is not None]
        found[k] = sum(values) / len(values) if values else None
    return found
