"""Judges candidate programs by their tests, with the program `myriad`.

`judge` takes candidates and yields a record for each. `Judge` keeps the process between calls, for reward functions.
docs/batch.md of Myriad describes what a candidate is and what its status means.
"""

from .judging import Judge, judge
from .passing import pass_at_k
from .process import Batch, BatchError
from .record import Candidate, Diagnostic, Record, Status

__all__ = [
    "Batch",
    "BatchError",
    "Candidate",
    "Diagnostic",
    "Judge",
    "Record",
    "Status",
    "judge",
    "pass_at_k",
]
