"""Run tests in several processes, which take files in their order.

    python -m tests.card.crew COUNT FOLDER ...

Each process collects what it runs, and no more: with pytest-xdist each one would
collect everything, which is long beside the minutes there are. Where one dies, another
goes on after the test that it died in. ``CARD_OUTCOMES`` names the file of the
outcomes.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import threading
import time

from tests.card import outcomes
from tests.card.commands import PYTEST
from tests.card.process import name_of_signal

#: What pytest returns when all went well, and when there was nothing to run.
FINE = 0, 5


def files(folders):
    """Return the files of tests in folders, in the order of these."""
    return [str(path) for folder in folders
            for path in sorted(pathlib.Path(folder).rglob('test_*.py'))]


class Crew:
    """Several processes with one list of files.

    Parameters
    ----------
    count : int
    paths : list of str
    path : str
        The file of the outcomes.
    """

    def __init__(self, count, paths, path):
        self._count = count
        self._waiting = collections.deque(paths)
        self._path = path
        self._lock = threading.Lock()
        self._begin = time.monotonic()
        self.fine = True

    def run(self):
        """Run all files, and return whether none of them went wrong."""
        workers = [threading.Thread(target=self._work) for _ in range(self._count)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return self.fine

    def take(self):
        """Return some files: many at first, and single ones in the end."""
        with self._lock:
            size = max(1, len(self._waiting) // (2 * self._count))
            return [self._waiting.popleft()
                    for _ in range(min(size, len(self._waiting)))]

    def _work(self):
        while taken := self.take():
            self._finish(taken)

    def _finish(self, taken):
        """Run files, in as many processes as that takes."""
        known = 0
        while (status := self._pytest(taken)) < 0:
            self.fine = False
            reason = 'the process died: ' + name_of_signal(-status)
            found = {
                test: outcome for test, outcome in outcomes.read(self._path).items()
                if test.partition('::')[0] in taken}
            self._note(
                [test for test, outcome in found.items() if outcome == 'running'],
                'failed', reason)
            if len(found) == known:     # no test has ended or begun
                if len(taken) == 1:
                    self._note(taken, 'error', reason)
                else:
                    for each in taken:
                        self._finish([each])
                return
            known = len(found)
        if status not in FINE:
            self.fine = False

    def _pytest(self, taken):
        return subprocess.run(
            [*PYTEST, *taken], stdin=subprocess.DEVNULL,
            env={**os.environ, 'CARD_KNOWN': self._path,
                 'CARD_BEGIN': str(self._begin)}).returncode

    def _note(self, tests, outcome, reason):
        with open(self._path, 'a') as f:
            for test in tests:
                f.write(json.dumps([test, outcome, reason]) + '\n')


def main():
    count, *folders = sys.argv[1:]
    path = os.environ['CARD_OUTCOMES']
    pathlib.Path(path).touch()
    return int(not Crew(int(count), files(folders), path).run())


if __name__ == '__main__':
    sys.exit(main())
