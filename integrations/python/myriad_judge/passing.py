"""pass@k."""

from __future__ import annotations

import math


def pass_at_k(candidates: int, passed: int, k: int) -> float | None:
    """Returns the probability that one of k candidates passes: 1 - C(n-c, k) / C(n, k), unbiased; None if there are fewer.

    It is computed as a product, so that no factorial overflows: M. Chen et al., "Evaluating Large Language Models
    Trained on Code" (2021).
    """
    if k > candidates:
        return None
    if candidates - passed < k:
        return 1.0
    return 1.0 - math.prod(1.0 - k / i for i in range(candidates - passed + 1, candidates + 1))
