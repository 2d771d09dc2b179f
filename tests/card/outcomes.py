"""A plugin of pytest that keeps each outcome at once: ``-p tests.card.outcomes``.

It appends to the file that ``CARD_OUTCOMES`` names, and leaves out tests that have
passed by the file that ``CARD_PASSED`` names. After an error that the card does not
recover from, it ends the process, as all later tests there would fail as well; xdist
then starts another worker.
"""
import json
import os
import sys

import pytest

BAD = 'failed', 'error', 'running'


def read(path):
    """Return the last outcome of each test; ``'running'`` if it has none."""
    found = {}
    with open(path) as f:
        for line in f:
            # The last line may have been cut off.
            if line.endswith('\n'):
                test, outcome = json.loads(line)
                found[test] = outcome
    return found


def _is_worker(config):
    return hasattr(config, 'workerinput')


class Keeper:
    """Writes outcomes, in the process that hears of all of them."""

    def __init__(self, path):
        # Lines this short are written as a whole, also by several processes.
        self._file = open(path, 'a', buffering=1)       # noqa: SIM115

    def pytest_runtest_logstart(self, nodeid):
        self._add(nodeid, 'running')

    def pytest_runtest_logreport(self, report):
        if report.when == 'call' or not report.passed:
            error = report.failed and report.when != 'call'
            self._add(report.nodeid, 'error' if error else report.outcome)

    def pytest_collectreport(self, report):
        if report.failed:
            self._add(report.nodeid, 'error')

    def _add(self, test, outcome):
        self._file.write(json.dumps([test, outcome]) + '\n')


def pytest_configure(config):
    if not _is_worker(config):
        config.pluginmanager.register(Keeper(os.environ['CARD_OUTCOMES']))


def pytest_collection_modifyitems(config, items):
    if path := os.environ.get('CARD_PASSED'):
        passed = {test for test, outcome in read(path).items() if outcome == 'passed'}
        left_out = [item for item in items if item.nodeid in passed]
        if left_out:
            config.hook.pytest_deselected(items=left_out)
            items[:] = [item for item in items if item.nodeid not in passed]


@pytest.hookimpl(trylast=True)
def pytest_runtest_logreport(report):
    if report.failed and 'cupy' in sys.modules and lost():
        print('%s: the card is lost to this process' % report.nodeid, flush=True)
        os.abort()


def lost():
    """Return whether the card answers this process with errors only."""
    try:
        sys.modules['cupy'].cuda.runtime.deviceSynchronize()
    except Exception:
        return True
    return False
