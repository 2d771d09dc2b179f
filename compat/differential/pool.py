"""Processes that run cases, one with each library, restarted if they end."""

import contextlib
import json
import os
import pathlib
import select
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).parents[2]


class Worker:
    """A process that makes cases with one library.

    Parameters
    ----------
    python : str
        Its interpreter.
    library : str
        The name of the library.
    limit : float
        Seconds that a case may take.
    """

    def __init__(self, python, library, limit=20.0):
        self.python, self.library, self.limit = os.path.abspath(python), library, limit
        self._process = None
        self.facts = self._start()

    def _start(self):
        environment = dict(
            os.environ,
            PYTHONPATH=str(ROOT),
            OMP_NUM_THREADS='1',
            OPENBLAS_NUM_THREADS='1',
            MKL_NUM_THREADS='1',
            PYTHONHASHSEED='0',
            PYTHONWARNINGS='ignore',
            MPLBACKEND='agg',
        )
        self._log = tempfile.TemporaryFile()  # noqa: SIM115, closed with the process
        self._process = subprocess.Popen(
            [self.python, '-m', 'compat.differential.worker', self.library],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )
        self._pending = b''
        line = self._line(120.0)
        if line is None:
            raise RuntimeError(
                '%s with %s does not start:\n%s'
                % (self.python, self.library, self._tail())
            )
        return json.loads(line)

    def _tail(self):
        self._log.seek(0)
        return self._log.read()[-2000:].decode(errors='replace')

    def _line(self, limit):
        """Return the next line, or None if the process ends or takes too long."""
        end = time.monotonic() + limit
        while b'\n' not in self._pending:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self._process.stdout], [], [], left)[0]:
                return None
            more = os.read(self._process.stdout.fileno(), 1 << 20)
            if not more:
                return None
            self._pending += more
        line, _, self._pending = self._pending.partition(b'\n')
        return line

    def ask(self, case):
        """Hand a case to the process, which begins with it at once."""
        try:
            self._process.stdin.write(json.dumps(case).encode() + b'\n')
            self._process.stdin.flush()
        except OSError:
            pass  # `answer` finds out how it ended

    def answer(self):
        """Return the outcome of the case; one that ended the process is an outcome."""
        line = self._line(self.limit)
        if line is not None:
            return json.loads(line)
        code = self._process.poll()
        if code is None:
            try:
                code = self._process.wait(1.0)
            except subprocess.TimeoutExpired:
                code = None
        outcome = {
            'ended': 'no answer' if code is None else 'exit %d' % code,
            'log': self._tail()[-500:],
        }
        self.close()
        self._start()
        return outcome

    def close(self):
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            with contextlib.suppress(OSError):
                self._process.stdin.close()  # it may have an unread line
            self._process.stdout.close()
            self._log.close()
            self._process = None


class Pair:
    """A worker with each library, which make a case at the same time."""

    def __init__(self, theirs, ours):
        self.workers = theirs, ours

    def __call__(self, case):
        """Return Chainer's outcome and ours."""
        for worker in self.workers:
            worker.ask(case)
        return tuple(worker.answer() for worker in self.workers)

    def close(self):
        for worker in self.workers:
            worker.close()


class Recorded:
    """Recorded outcomes of one library, used instead of its worker."""

    def __init__(self, outcomes):
        self._outcomes = outcomes

    def ask(self, case):
        self._answer = self._outcomes[json.dumps(case, sort_keys=True)]

    def answer(self):
        return self._answer

    def close(self):
        pass
