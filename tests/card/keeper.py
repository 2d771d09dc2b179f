"""A plugin of pytest that keeps each outcome at once: ``-p tests.card.keeper``.

It appends to the file that ``CARD_OUTCOMES`` names, and leaves out tests that have
passed by the file that ``CARD_PASSED`` names, or have any outcome by the file that
``CARD_KNOWN`` names. Tracebacks are printed as they come. A
test or file that imports a package that is not installed is ``'absent'``, with the name
of the package, and no failure. After an error that the card does not recover from, the
plugin ends the process, as all later tests there would fail as well; xdist then starts
another worker.
"""
import importlib.util
import json
import os
import sys
import time

import pytest

from tests.card import outcomes

LONGEST = 300       # characters of a reason


def _is_worker(config):
    return hasattr(config, 'workerinput')


class Keeper:
    """Writes outcomes, in the process that hears of all of them."""

    def __init__(self, path):
        # Lines this short are written as a whole, also by several processes.
        self._file = open(path, 'a', buffering=1)       # noqa: SIM115
        self._begin = float(os.environ.get('CARD_BEGIN', time.monotonic()))

    def pytest_runtest_logstart(self, nodeid):
        self._add(nodeid, 'running')

    def pytest_runtest_logreport(self, report):
        if report.when == 'call' or not report.passed:
            self._report(report, 'error' if report.when != 'call' else 'failed')

    def pytest_collectreport(self, report):
        if not report.passed:
            self._report(report, 'error')

    def _report(self, report, bad):
        if package := getattr(report, 'absent', ''):
            self._add(report.nodeid, 'absent', package)
        elif report.failed:
            self._add(report.nodeid, bad, reason(report))
            # pytest prints it at the end, which may not come.
            print('\n%s: %s\n%s' % (report.nodeid, bad, report.longreprtext),
                  flush=True)
        elif report.when != 'collect':
            self._add(report.nodeid, report.outcome)

    def _add(self, test, outcome, reason=''):
        self._file.write(json.dumps(
            [test, outcome, reason, round(time.monotonic() - self._begin, 1)]) + '\n')


def reason(report):
    """Return why a test failed, in a line."""
    crash = getattr(report.longrepr, 'reprcrash', None)
    text = crash.message if crash else report.longreprtext.strip().rpartition('\n')[2]
    return ' '.join(text.split())[:LONGEST]


def pytest_configure(config):
    if not _is_worker(config):
        config.pluginmanager.register(Keeper(os.environ['CARD_OUTCOMES']))


def pytest_collection_modifyitems(config, items):
    known = set()
    if path := os.environ.get('CARD_PASSED'):
        known = {test for test, outcome in outcomes.read(path).items()
                 if outcome == 'passed'}
    elif path := os.environ.get('CARD_KNOWN'):
        known = set(outcomes.read(path))
    left_out = [item for item in items if item.nodeid in known]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item.nodeid not in known]


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector):
    report = (yield).get_result()
    _set_apart(report, report.call.excinfo, collector)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    _set_apart(report, call.excinfo, item)


def _set_apart(report, excinfo, node):
    """Make a report of a package that is not installed one of a test left out."""
    package = report.failed and excinfo and absent_package(excinfo.value)
    if package:
        report.absent, report.outcome = package, 'skipped'
        report.longrepr = str(node.path), 0, 'Skipped: %s is not installed' % package


def absent_package(error):
    """Return the name of the package whose absence an error comes from, or ``''``."""
    while error is not None:
        if isinstance(error, ModuleNotFoundError) and error.name:
            package = error.name.partition('.')[0]
            return '' if _is_there(package) else package
        error = error.__cause__ or error.__context__
    return ''


def _is_there(package):
    try:
        return importlib.util.find_spec(package) is not None
    except ValueError:          # a stand-in has no specification
        return package in sys.modules


@pytest.hookimpl(trylast=True)
def pytest_runtest_logreport(report):
    if report.failed and 'cupy' in sys.modules and outcomes.lost():
        print('%s: the card is lost to this process' % report.nodeid, flush=True)
        os.abort()
