"""Judges candidates in a Ray Dataset with `myriad batch`.

Ray does scheduling, transport, back-pressure and retries. `myriad batch` judges (docs/batch.md of Myriad). This package
connects them: each actor of Ray Data's `map_batches` owns a process, by the package `myriad_judge`.
"""

from myriad_judge import Batch, BatchError, pass_at_k

from .judging import Judged, judge

__all__ = ["Batch", "BatchError", "Judged", "judge", "pass_at_k"]
