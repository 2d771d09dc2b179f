"""Processes that share files of tests, some of which die."""
import json
import os
import subprocess
import sys

import pytest

from tests.card import crew, outcomes

DEATH = '''
import os, pytest
pytestmark = pytest.mark.gpu
def test_before(): pass
def test_death(): os.abort()
def test_between(): pass
def test_other_death(): os.kill(os.getpid(), 11)
def test_after(): pass
'''
# After this, the card answers this process with errors only.
LOSS = '''
import sys, types, pytest
pytestmark = pytest.mark.gpu
def test_loss():
    def synchronize(): raise RuntimeError('cudaErrorIllegalAddress')
    sys.modules['cupy'] = types.SimpleNamespace(cuda=types.SimpleNamespace(
        runtime=types.SimpleNamespace(deviceSynchronize=synchronize)))
    assert False, 'why'
def test_later(): pass
'''
FINE = '''
import pytest
@pytest.mark.gpu
@pytest.mark.parametrize('n', range(3))
def test_it(n): pass
def test_host(): raise ValueError
'''


@pytest.fixture
def run(tmp_path):
    def run(count, **sources):
        folder = tmp_path / 'them'
        folder.mkdir()
        (tmp_path / 'pytest.ini').write_text('[pytest]\nmarkers = gpu: x\n')
        for name, source in sources.items():
            (folder / ('test_%s.py' % name)).write_text(source)
        path = tmp_path / 'outcomes.jsonl'
        status = subprocess.run(
            [sys.executable, '-m', 'tests.card.crew', count, 'them'], cwd=tmp_path,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, 'PYTHONPATH': os.getcwd(),
                 'CARD_OUTCOMES': str(path)}).returncode
        return status, {test.rpartition('/')[2]: rest
                        for test, rest in outcomes.records(path).items()}
    return run


def test_all_run_once(run, tmp_path):
    status, found = run('3', **{'f%d' % n: FINE for n in range(8)}, none='')
    assert status == 0
    assert {test: rest[0] for test, rest in found.items()} == {
        'test_f%d.py::test_it[%d]' % (f, n): 'passed'
        for f in range(8) for n in range(3)}
    lines = (tmp_path / 'outcomes.jsonl').read_text().splitlines()
    assert len(lines) == 2 * 24 and all(json.loads(line) for line in lines)


def test_processes_that_die(run):
    status, found = run('1', death=DEATH, fine=FINE)
    assert status == 1
    assert found['test_death.py::test_death'][:2] == [
        'failed', 'the process died: SIGABRT']
    assert found['test_death.py::test_other_death'][1] == 'the process died: SIGSEGV'
    assert sum(rest[0] == 'passed' for rest in found.values()) == 3 + 3


def test_card_that_is_lost_to_a_process(run):
    status, found = run('1', loss=LOSS)
    assert status == 1
    assert found['test_loss.py::test_loss'][:2] == [
        'failed', 'AssertionError: why assert False']
    assert found['test_loss.py::test_later'][0] == 'passed' and len(found) == 2


def test_process_that_dies_outside_of_tests(run):
    sources = {'f%d' % n: FINE for n in range(5)}
    status, found = run('1', death='import os\nos.abort()', **sources)
    assert status == 1
    assert found.pop('test_death.py') == ['error', 'the process died: SIGABRT']
    assert [rest[0] for rest in found.values()] == ['passed'] * 15


def test_order():
    found = crew.Crew(2, [str(n) for n in range(20)], '')
    parts = [found.take() for _ in range(12)]
    assert [part for each in parts for part in each] == [str(n) for n in range(20)]
    sizes = list(map(len, parts))
    assert sizes[0] == 5 and sizes == sorted(sizes, reverse=True) and sizes[-1] == 0
