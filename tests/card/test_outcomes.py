"""The plugin keeps outcomes one by one, also those of a process that dies."""
import json
import os
import subprocess
import sys

import pytest

from tests.card import outcomes, page

SOURCE = '''
import os, sys, types, pytest
def test_fine(): pass
def test_wrong(): assert False
@pytest.mark.skip
def test_left_out(): pass
@pytest.fixture
def broken(): raise ValueError
def test_error(broken): pass
'''
DEATH = '''
def test_death(): os.abort()
def test_later(): pass
'''
# A card that answers with errors only, from this test on.
LOSS = '''
def test_loss():
    def synchronize(): raise RuntimeError('cudaErrorIllegalAddress')
    sys.modules['cupy'] = types.SimpleNamespace(cuda=types.SimpleNamespace(
        runtime=types.SimpleNamespace(deviceSynchronize=synchronize)))
    assert False
def test_later(): pass
'''
COMMON = {'test_fine': 'passed', 'test_wrong': 'failed', 'test_left_out': 'skipped',
          'test_error': 'error'}


@pytest.fixture
def run(tmp_path):
    def run(source, *options, **variables):
        (tmp_path / 'test_it.py').write_text(source)
        path = tmp_path / 'outcomes.jsonl'
        status = subprocess.run(
            [sys.executable, '-m', 'pytest', '-q', '-p', 'tests.card.keeper',
             '-p', 'no:cacheprovider', '-c', os.devnull, '--rootdir', tmp_path,
             *options, tmp_path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, 'PYTHONPATH': os.getcwd(), 'CARD_OUTCOMES': str(path),
                 **variables}).returncode
        return status, {test.rpartition('::')[2]: outcome
                        for test, outcome in outcomes.read(path).items()}
    return run


def test_all_outcomes(run):
    assert run(SOURCE) == (1, COMMON)


@pytest.mark.parametrize('source', [DEATH, LOSS])
def test_process_that_dies(run, source):
    status, found = run(SOURCE + source)
    assert status < 0
    last = found.popitem()
    assert last in (('test_death', 'running'), ('test_loss', 'failed'))
    assert found == COMMON


@pytest.mark.parametrize('source', [DEATH, LOSS])
def test_worker_that_dies(run, source):
    status, found = run(SOURCE + source, '-n', '1')
    assert status == 1
    assert found.pop('test_death', found.pop('test_loss', None)) in ('failed', 'error')
    assert found == {**COMMON, 'test_later': 'passed'}


@pytest.mark.parametrize('options', [(), ('-n', '1')])
def test_files_that_cannot_be_read(run, options):
    status, found = run('import chainer_fast.nothing_of_this_name', *options)
    assert status in (1, 2)
    assert list(found.values()) == ['error']


ABSENT = '''
def test_absent(): import nothing_of_this_name.part
def test_cause():
    try:
        import nothing_of_this_name
    except ImportError as e:
        raise RuntimeError('install it') from e
def test_ours(): import chainer_fast.nothing_of_this_name
'''


@pytest.mark.parametrize('options', [(), ('-n', '1')])
def test_packages_that_are_not_installed(run, options, tmp_path):
    status, found = run('import nothing_of_this_name\n', *options)
    assert list(found.values()) == ['absent']
    assert status == 5              # there are no tests
    (tmp_path / 'outcomes.jsonl').unlink()
    status, found = run(SOURCE + ABSENT, *options)
    assert status == 1
    assert found == {**COMMON, 'test_absent': 'absent', 'test_cause': 'absent',
                     'test_ours': 'failed'}
    records = outcomes.records(tmp_path / 'outcomes.jsonl')
    assert {test.rpartition('::')[2]: rest[1] for test, rest in records.items()
            if rest[0] == 'absent'} == dict.fromkeys(
                ['test_absent', 'test_cause'], 'nothing_of_this_name')
    assert 'nothing_of_this_name' in next(
        rest[1] for test, rest in records.items() if 'test_ours' in test)


@pytest.mark.parametrize('options', [(), ('-n', '1')])
def test_what_has_passed_is_left_out(run, tmp_path, options):
    passed = tmp_path / 'before.jsonl'
    passed.write_text(''.join(json.dumps(each) + '\n' for each in (
        ['test_it.py::test_fine', 'running'], ['test_it.py::test_fine', 'passed'],
        ['test_it.py::test_wrong', 'failed'])))
    _, found = run(SOURCE, *options, CARD_PASSED=str(passed))
    assert found == {name: COMMON[name] for name in COMMON if name != 'test_fine'}


def test_line_that_was_cut_off(tmp_path):
    path = tmp_path / 'outcomes.jsonl'
    path.write_text('["a", "running"]\n["a", "passed"]\n["b", "running"]\n["b", "pas')
    assert outcomes.read(path) == {'a': 'passed', 'b': 'running'}
    assert page.tests(path) == (
        '1 passed, 1 running.\n\n- running at the end, since 0 s: `b`')
