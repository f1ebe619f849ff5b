"""A process of `myriad batch` that is asked again and again."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Iterable


class BatchError(RuntimeError):
    """The program cannot be called, or does not answer as it should. A candidate is never the reason."""


class Batch:
    """Owns a process. It writes a line for each candidate, and reads a record for each.

    `base` and `tests` are texts. They are written to temporary files, because this may run on another machine than the
    caller's.
    """

    # Lines are given to a new process if one ends before it has answered: this often in all.
    ATTEMPTS = 3

    def __init__(
        self,
        *,
        base: str | None = None,
        tests: str | None = None,
        program: str | None = None,
        arguments: Iterable[str] = (),
    ) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="myriad-")
        self._command = [program or os.environ.get("MYRIAD", "myriad"), "batch", *arguments]
        for option, text in (("base", base), ("tests", tests)):
            if text is not None:
                path = os.path.join(self._folder.name, f"{option}.myr")
                with open(path, "w", encoding="utf-8", newline="") as file:
                    file.write(text)
                self._command += [f"--{option}", path]
        self._process: subprocess.Popen[bytes] | None = None

    def judge(self, candidates: list[dict]) -> list[dict]:
        """A record for each candidate, in order. A candidate has `source` or `function`."""
        lines = [
            json.dumps({"id": number, **{key: text for key, text in fields.items() if text is not None}})
            for number, fields in enumerate(candidates)
        ]
        for attempt in range(self.ATTEMPTS):
            try:
                records = self._ask(lines)
                break
            except (BrokenPipeError, EOFError):
                said = self._said()
                self.close()
                if attempt + 1 == self.ATTEMPTS:
                    raise BatchError(f"`{' '.join(self._command)}` ended early: {said}") from None
        for number, record in enumerate(records):
            if record.get("id", number) != number:
                raise BatchError(f"record {number} is that of {record.get('id')!r}")
        return records

    def _ask(self, lines: list[str]) -> list[dict]:
        process = self._running()
        # Without a thread of its own, writing would wait for ever once both pipes are full.
        writer = threading.Thread(target=self._write, args=(process, lines), daemon=True)
        writer.start()
        records = []
        for _ in lines:
            line = process.stdout.readline()
            if not line.endswith(b"\n"):
                raise EOFError
            records.append(json.loads(line))
        writer.join()
        return records

    @staticmethod
    def _write(process: subprocess.Popen[bytes], lines: list[str]) -> None:
        try:
            for line in lines:
                process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
        except (BrokenPipeError, ValueError, OSError):
            # The reader notices that the process has ended.
            pass

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._errors = tempfile.TemporaryFile(dir=self._folder.name)
            try:
                self._process = subprocess.Popen(
                    self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
                )
            except OSError as error:
                self._errors.close()
                raise BatchError(
                    f"{self._command[0]} cannot be called ({error}): install it, or name it in the environment variable MYRIAD"
                ) from error
        return self._process

    def _said(self) -> str:
        if self._process is not None:
            self._process.wait()
        self._errors.seek(0)
        return self._errors.read(2000).decode(errors="replace").strip() or "it says nothing"

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            process, self._process = self._process, None
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                try:
                    pipe.close()
                except OSError:
                    pass
            self._errors.close()

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._folder.cleanup()

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:  # noqa: BLE001 - the interpreter may be ending
            pass
