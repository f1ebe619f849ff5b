"""Judges candidates in a Ray Dataset with `myriad batch`.

Scheduling, transport, back-pressure and retries are Ray's; what a candidate is and what becomes of it is `myriad batch`'s
(docs/cli.md of Myriad). This package holds the one to the other: an actor of Ray Data's `map_batches` owns a process.
"""

from .judging import Judged, judge
from .passing import pass_at_k
from .process import Batch, BatchError

__all__ = ["Batch", "BatchError", "Judged", "judge", "pass_at_k"]
