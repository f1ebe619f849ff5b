"""On a cluster: each candidate once, and what one process says of it, whoever dies."""

from __future__ import annotations

import math
import os
import threading
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest
import ray
from conftest import candidates, expected, verdict

from myriad_ray import Batch, BatchError, judge, pass_at_k

# As many as this with workers being killed; the everyday size is small.
COUNT = int(os.environ.get("MYRIAD_RAY_CANDIDATES", "4000"))
# A worker is killed this often; where starting one takes longer than it lives, nothing is ever judged.
SECONDS = float(os.environ.get("MYRIAD_RAY_SECONDS", "4"))


def found(judged) -> dict[str, tuple]:
    rows = judged.verdicts.take_all()
    assert max(Counter(row["id"] for row in rows).values()) == 1, "a candidate is there twice"
    return {row["id"]: verdict(row) for row in rows}


def test_verdicts_are_those_of_one_process(cluster, program, base, tmp_path):
    rows = candidates(3000)
    judged = judge(ray.data.from_items(rows, override_num_blocks=13), base, k=(1, 5), program=program, batch_size=100)
    wanted = expected(program, base, rows, tmp_path)
    assert found(judged) == wanted
    assert len({status for _, status, *_ in wanted.values()}) >= 5, "the rows are of many kinds"
    of_group = Counter(row["group"] for row in rows)
    passed = Counter(group for group, status, *_ in wanted.values() if status == "pass")
    for row in judged.groups.to_pylist():
        assert (row["candidates"], row["passed"]) == (of_group[row["group"]], passed[row["group"]])
        n, c = row["candidates"], row["passed"]
        assert math.isclose(row["pass@5"], 1 - math.comb(n - c, 5) / math.comb(n, 5))
    assert judged.groups.num_rows == len(of_group)
    assert 0 < judged.pass_at[1] < judged.pass_at[5] < 1


def test_sources_with_tests_of_the_call(cluster, program, base, tmp_path):
    code, tests = base.split("test", 1)
    tests_file = tmp_path / "tests.myr"
    tests_file.write_text("test" + tests)
    rows = [
        {"id": 1, "source": code},
        {"id": 2, "source": code.replace("+=", "-=")},
        {"id": 3, "source": "fn"},
        {"id": 4, "source": None},
        {"id": 5, "source": "x" * (2 << 20)},
    ]
    judged = judge(ray.data.from_items(rows), tests=Path(tests_file), k=[1], program=program)
    of = {row["id"]: row for row in judged.verdicts.take_all()}
    assert [of[n]["status"] for n in (1, 2, 3, 4, 5)] == ["pass", "fail", "invalid", "error", "error"]
    assert "E0" in of[3]["diagnostics"] and "source" in of[4]["message"]
    assert judged.groups.to_pylist() == [{"group": None, "candidates": 3, "passed": 1, "pass@1": pytest.approx(1 / 3)}]


def workers(cluster) -> list[psutil.Process]:
    """The processes of this cluster that hold a judge."""
    nodes = [node.all_processes["raylet"][0].process.pid for node in cluster.list_all_nodes()]
    below = [child for pid in nodes for child in psutil.Process(pid).children(recursive=True)]
    held = []
    for process in below:
        try:
            if "_Judge" in " ".join(process.cmdline()) or "MapWorker" in " ".join(process.cmdline()):
                held.append(process)
        except psutil.Error:
            pass
    return held


def test_workers_that_are_killed_lose_nothing(cluster, program, base, tmp_path):
    rows = candidates(COUNT)
    over = threading.Event()
    killed = []

    def slowly(rows: dict) -> dict:
        # As from a model: not all at once, so that there is somebody to kill.
        time.sleep(0.5)
        return rows

    def kill() -> None:
        while not over.wait(SECONDS):
            for process in workers(cluster)[:1]:
                try:
                    process.kill()
                    killed.append(process.pid)
                except psutil.Error:
                    pass

    killer = threading.Thread(target=kill)
    killer.start()
    started = time.monotonic()
    try:
        blocks = max(24, COUNT // 1000)
        dataset = ray.data.from_items(rows, override_num_blocks=blocks).map_batches(slowly, batch_size=None)
        judged = judge(dataset, base, program=program, workers=2, batch_size=250)
    finally:
        over.set()
        killer.join()
    took = time.monotonic() - started
    print(f"{COUNT} candidates in {took:.1f} s, {len(killed)} workers killed")
    assert killed, "nobody was killed: the test says nothing"
    assert found(judged) == expected(program, base, rows, tmp_path)


def test_a_process_that_is_killed_is_replaced(program, base):
    right = {"function": "fn clamp(x: int) -> int { return min(x, LIMIT); }"}
    with Batch(base=base, program=program) as batch:
        first = batch.judge([right, {"function": "fn clamp("}])
        assert [record["status"] for record in first] == ["pass", "invalid"]
        batch._process.kill()
        assert batch.judge([right])[0]["status"] == "pass"
        # More than any pipe holds, both ways.
        assert len(batch.judge([right, {"function": "fn clamp( " * 50}] * 3000)) == 6000
        assert batch.judge([]) == []


def test_what_cannot_work_is_said(cluster, program, base, tmp_path):
    with pytest.raises(BatchError, match="cannot be called"):
        Batch(program=str(tmp_path / "none")).judge([{"source": ""}])
    with pytest.raises(BatchError, match="cannot be a base"):
        Batch(base="fn", program=program).judge([{"source": ""}])
    with pytest.raises(ValueError, match="a `source` or a `function`"):
        judge(ray.data.from_items([{"text": "x"}]), base, program=program)
    with pytest.raises(ValueError, match="k is"):
        judge(ray.data.from_items([{"source": "x"}]), base, k=[0], program=program)


def test_pass_at_k_is_unbiased():
    assert pass_at_k(4, 1, 2) == pytest.approx(0.5)
    assert (pass_at_k(3, 0, 3), pass_at_k(3, 1, 3), pass_at_k(3, 3, 4)) == (0.0, 1.0, None)
    assert pass_at_k(10**6, 10, 1000) == pytest.approx(1 - (1 - 10 / 10**6) ** 1000, rel=1e-3)
