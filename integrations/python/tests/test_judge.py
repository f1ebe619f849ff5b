"""Tests of the package with the real program."""

import itertools
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import typing
import unittest

HERE = pathlib.Path(__file__).parent.parent
sys.path.insert(0, str(HERE))

from myriad_judge import Batch, BatchError, Judge, Record, Status, judge, pass_at_k  # noqa: E402

TESTS = "test double(2) == 4; test double(3) == 6;"
RIGHT = "fn double(x: int) -> int { return x + x; }"
WRONG = "fn double(x: int) -> int { return x * x; }"
TRAP = "fn double(x: int) -> int { return x / 0; }"
ENDLESS = "fn double(x: int) -> int { while true { } return x; }"
INVALID = "fn double(x: int) -> int { return y; }"


class JudgeTests(unittest.TestCase):
    def test_each_candidate_has_its_status(self):
        found = list(judge([RIGHT, WRONG, TRAP, ENDLESS, INVALID], TESTS))
        self.assertEqual([record.status for record in found], ["pass", "fail", "trap", "timeout", "invalid"])
        self.assertEqual([record.id for record in found], [0, 1, 2, 3, 4])
        self.assertEqual([record.share for record in found], [1.0, 0.5, 0.0, 0.0, 0.0])
        self.assertEqual([record.passes for record in found], [True, False, False, False, False])
        self.assertEqual(found[4].diagnostics[0]["code"], "E0301")

    def test_candidates_keep_their_fields(self):
        candidates = [{"id": "a", "group": 7, "source": RIGHT}, {"source": WRONG}, {"id": None}, RIGHT]
        found = list(judge(candidates, TESTS, chunk=2))
        self.assertEqual([(record.id, record.group) for record in found], [("a", 7), (1, None), (None, None), (3, None)])
        self.assertEqual([record.status for record in found], ["pass", "fail", "error", "pass"])
        self.assertIn("source", found[2].message)

    def test_a_base_takes_functions(self):
        base = "fn four() -> int { return double(2); }\nfn double(x: int) -> int { return x; }\ntest four() == 4;"
        found = list(judge([RIGHT, "fn double(x: int) -> int { return x; }"], base=base))
        self.assertEqual([record.status for record in found], ["pass", "fail"])

    def test_a_candidate_cannot_replace_its_judge(self):
        base = RIGHT + "\nfn oracle(x: int) -> int { return x * 2; }\n"
        tests = "test double(2) == oracle(2); test double(3) == oracle(3);"
        cheat = WRONG + " fn oracle(x: int) -> int { return x * x; }"
        for call in [{"base": base + tests}, {"base": RIGHT, "tests": tests.replace("oracle", "judge_of") + (
            " fn judge_of(x: int) -> int { return x * 2; }")}]:
            one = cheat if "tests" not in call else cheat.replace("oracle", "judge_of")
            found = list(judge([RIGHT, WRONG, one, "fn other() -> int { return 1; }"], replaces="double", **call))
            self.assertEqual([record.status for record in found], ["pass", "fail", "refused", "missing"])
            found = list(judge([RIGHT, one], **call))
            self.assertEqual([record.status for record in found], ["pass", "refused"])
            self.assertEqual([record.replaced for record in found], ["double", None])
        own = [{"function": cheat, "replaces": "oracle"}]
        self.assertEqual([record.status for record in judge(own, base=base + tests, replaces="double")], ["refused"])

    def test_an_endless_stream_is_judged_as_it_comes(self):
        taken = []

        def source():
            for number in itertools.count():
                taken.append(number)
                yield RIGHT if number % 2 else WRONG

        found = list(itertools.islice(judge(source(), TESTS, chunk=1), 5))
        self.assertEqual([record.status for record in found], ["fail", "pass", "fail", "pass", "fail"])
        self.assertEqual(taken, [0, 1, 2, 3, 4])

    def test_a_limit_of_steps_is_exact(self):
        with Judge(TESTS) as free:
            steps = free.judge([RIGHT])[0].steps
        for limit, status in [(steps, "pass"), (steps - 1, "timeout")]:
            with Judge(TESTS, max_steps=limit) as limited:
                self.assertEqual(limited.judge([RIGHT])[0].status, status)

    def test_texts_may_be_paths(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "tests.myr")
            path.write_text(TESTS)
            self.assertTrue(next(judge([RIGHT], path)).passes)

    def test_hostile_texts_are_judged(self):
        texts = ["", "\0", "\ud800", "{" * 5000, "test 1 == 1;\n" + RIGHT, '"\n{"id": 5}']
        found = list(judge([*texts, RIGHT], TESTS))
        self.assertEqual(len(found), len(texts) + 1)
        self.assertEqual([record.passes for record in found], [False, False, False, False, True, False, True])

    def test_a_process_that_is_killed_is_replaced(self):
        with Judge(TESTS) as own:
            self.assertTrue(own.judge([RIGHT])[0].passes)
            os.kill(own._batch._process.pid, signal.SIGKILL)
            self.assertEqual([record.status for record in own.judge([RIGHT, WRONG])], ["pass", "fail"])

    def test_what_cannot_work_is_said(self):
        with self.assertRaisesRegex(BatchError, "cannot be called"):
            list(judge([RIGHT], program="/nowhere/myriad"))
        with self.assertRaisesRegex(BatchError, "cannot be a base"):
            list(judge([RIGHT], base="fn"))

    def test_statuses_are_those_of_the_reference(self):
        page = (HERE / "../../docs/batch.md").read_text()
        statuses = page.split("`status` is one of\n\n")[1].split("\n\n")[0]
        self.assertEqual(re.findall(r"^- `(\w+)`", statuses, re.M), list(typing.get_args(Status)))

    def test_pass_at_k_is_unbiased(self):
        for n, c, k in [(5, 2, 1), (5, 2, 3), (6, 1, 4)]:
            sets = list(itertools.combinations(range(n), k))
            share = sum(any(one < c for one in own) for own in sets) / len(sets)
            self.assertAlmostEqual(pass_at_k(n, c, k), share)
        self.assertIsNone(pass_at_k(2, 1, 3))


class ReadmeTests(unittest.TestCase):
    def test_examples_run_as_written(self):
        page = (HERE / "README.md").read_text()
        blocks = re.findall(r"```(\w+)\n(.*?)```", page, re.S)
        programs = [text for kind, text in blocks if kind == "python"]
        shown = [text for kind, text in blocks if kind == "text"]
        environment = {**os.environ, "PYTHONPATH": str(HERE)}
        said = subprocess.run([sys.executable, "-c", programs[0]], env=environment, capture_output=True, text=True)
        self.assertEqual((said.stdout, said.stderr), (shown[0], ""))
        names: dict = {}
        exec(programs[1], names)
        self.assertEqual(names["reward"]([], [RIGHT, ENDLESS, INVALID]), [1.0, 0.0, 0.0])
        names["judge"].close()


class PackageTests(unittest.TestCase):
    def test_a_record_cannot_be_changed(self):
        record = Record(0, None, "pass", 1, 1, 4)
        with self.assertRaises(AttributeError):
            record.status = "fail"
        self.assertTrue((HERE / "myriad_judge/py.typed").exists())
        self.assertTrue(callable(Batch))


if __name__ == "__main__":
    unittest.main()
