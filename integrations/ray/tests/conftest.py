"""A cluster of two nodes on this machine, that begins and ends with the tests."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess

import pytest
import ray
from ray.cluster_utils import Cluster

BASE = """\
const LIMIT = 1000;

fn clamp(x: int) -> int {
    if x > LIMIT { return LIMIT; }
    return x;
}

fn total(xs: [int]) -> int {
    let sum = 0;
    for x in xs { sum += x; }
    return clamp(sum);
}

test total([]) == 0;
test total([1, 2, 3]) == 6;
test total([900, 200]) == LIMIT;
prop a in 0..60, b in 0..60 => total([a, b]) == a + b;
"""

BODIES = [
    "let sum = {n}; for x in xs {{ sum += x; }} return clamp(sum - {n});",
    "let sum = 0; for x in xs {{ sum += x; }} return sum + {n};",
    "let sum = 0; for x in xs {{ sum += {n}; }} return clamp(sum);",
    "let i = 0; while i < len(xs) {{ }} return {n};",
    "return xs[{n}];",
    "return total(xs) + {n};",
    "return y{n};",
    "let sum = 0; for x in xs {{ sum = sum + x * 1; }} return clamp(sum + 0 * {n});",
]


@pytest.fixture(scope="session")
def program() -> str:
    found = os.environ.get("MYRIAD") or shutil.which("myriad")
    assert found, "MYRIAD names the program that is tested"
    return os.path.abspath(found)


@pytest.fixture(scope="session")
def base() -> str:
    return BASE


@pytest.fixture(scope="session")
def cluster():
    store = 256 << 20
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 2, "object_store_memory": store, "include_dashboard": False}
    )
    cluster.add_node(num_cpus=2, object_store_memory=store)
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def candidates(count: int) -> list[dict]:
    """Rows as a model of code would give them: right and wrong ones, and some that are no programs."""
    chance = random.Random(count)
    rows = []
    for number in range(count):
        body = chance.choice(BODIES).format(n=chance.randrange(40))
        rows.append(
            {"id": f"c{number}", "group": f"g{chance.randrange(25)}", "function": f"fn total(xs: [int]) -> int {{ {body} }}"}
        )
    return rows


def expected(program: str, base: str, rows: list[dict], folder) -> dict[str, tuple]:
    """What one process says, by id."""
    path = folder / "base.myr"
    path.write_text(base)
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    said = subprocess.run(
        [program, "batch", "--base", str(path), "--engine", "cpu"], input=lines.encode(), capture_output=True, check=False
    )
    records = [json.loads(line) for line in said.stdout.splitlines()]
    assert len(records) == len(rows), said.stderr.decode()
    return {record["id"]: verdict(record) for record in records}


def verdict(record: dict) -> tuple:
    diagnostics = record.get("diagnostics")
    if isinstance(diagnostics, str):
        diagnostics = json.loads(diagnostics)
    return tuple(record.get(key) for key in ("group", "status", "tests_passed", "tests", "steps")) + (diagnostics,)
