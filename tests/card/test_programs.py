"""The programs for a card run, at tiny sizes and on the stand-ins without one."""
import json
import os
import subprocess
import sys
import time

import pytest

from tests.card import gaps, page, program, rounds


def run(*arguments):
    found = subprocess.run(
        [sys.executable, '-m', 'tests.card.program', *arguments, '--tiny'], text=True,
        stdout=subprocess.PIPE, env={**os.environ, 'PYTHONPATH': os.getcwd()})
    return found.returncode, ended(found.stdout.splitlines())


def ended(lines):
    """Return what became of cases, by the lines of a program."""
    found = [json.loads(line) for line in lines if line.startswith('{')]
    return [line for line in found if line['state'] not in ('not run', 'began')]


@pytest.mark.gpu
@pytest.mark.parametrize('arguments, count', [
    (('first', ''), 11), (('misaligned', ''), 33), (('stress', ''), 10),
    (('sizes', 'small batch/tf32/batch'), 8), (('sizes', 'small batch/float16/c'), 24),
    (('sizes', 'batch 32/default/float16/last/'), 32),
    (('sizes', 'batch 256/default/float32/plain/c'), 24),
    (('sizes', 'batch 32/256 MiB/tf32/plain/batch normalization 64'), 1)])
def test_programs(arguments, count):
    status, found = run(*arguments)
    assert [line for line in found if line['state'] != 'passed'] == []
    assert (status, len(found)) == (0, count)


@pytest.mark.gpu
def test_offsets():
    """Operands are where the cases say."""
    _, found = run('misaligned', '')
    places = {line['case']: line['addresses mod 16'] for line in found}
    assert places['slice'] == '12 0' and places['half'] == '6 0'
    assert places['batch_normalization'] == '12 0 0'
    for name, each in places.items():
        if name.startswith('offset'):
            assert each.split()[0] == name.split()[1].strip(',')


@pytest.mark.gpu
def test_what_is_compared():
    import numpy as np

    from tests.card.programs import difference, same_bits
    x = np.array([1., -4.])
    assert difference([x], [x + [0, .4]], .2) == pytest.approx(.4 / 3.6)
    for wrong in x + [0, 1.], x * np.nan, x[:1]:
        with pytest.raises(AssertionError):
            difference([wrong], [x], .2)
    same_bits([x], [x.copy()])
    with pytest.raises(AssertionError, match='other bits'):
        same_bits([x], [np.nextafter(x, 9)])


@pytest.mark.gpu
def test_layers():
    from tests.card.programs import sizes
    found = [str(layer) for layer in sizes.layers()]
    assert len(found) == len(set(found)) == 33
    for name in ('convolution 3-64, 7x7/2 of 224', 'convolution 256-512, 1x1/2 of 56',
                 'convolution 512-512, 3x3/1 of 7', 'batch normalization 2048 of 7'):
        assert name in found


@pytest.mark.gpu
def test_versions():
    from tests.card import machine
    found = machine.libraries()
    assert list(found) == ['NVRTC', 'cuBLAS', 'cuDNN', 'NCCL']
    assert [int(part) for part in found['NVRTC'].split('.')] > [11, 0]
    assert not str(found['NCCL']).startswith('none')


@pytest.mark.gpu
def test_steps_that_are_profiled():
    gaps.steps('float32', 'tiny')


class OutOfMemoryError(Exception):
    pass


def raising(error):
    def case():
        raise error
    return case


def cases(monkeypatch, lost=False):
    monkeypatch.setattr(program.outcomes, 'lost', lambda: lost)
    lines = []
    fine = program.run({
        'large': raising(OutOfMemoryError()), 'wrong': raising(AssertionError('x')),
        'fine': lambda: {'figure': 1.}}, lines.append)
    return fine, ended(lines), lines


def test_cases_that_go_wrong(monkeypatch, tmp_path):
    fine, found, lines = cases(monkeypatch)
    assert not fine
    assert [line['state'] for line in found] == ['skipped', 'failed', 'passed']
    assert found[-1]['figure'] == 1
    log = tmp_path / 'it.log'
    lines += ['{"case": "last", "state": "began"}',
              '{"case": "later", "state": "not run"}', '{"case": "cut']
    log.write_text('\n'.join(lines))
    assert page.cases(log).splitlines()[0] == (
        '| case | state | reason | seconds | figure |')
    assert '| last | cut off |' in page.cases(log)
    assert page.cases(log).endswith('\n\n1 cases did not run.\n')
    assert '| wrong | failed | x |' in page.cases(log)


def test_card_that_is_lost(monkeypatch):
    _, found, lines = cases(monkeypatch, lost=True)
    assert [line['case'] for line in found] == ['large', 'wrong']
    assert '1 cases did not run' in lines[-1]


def test_cases_share_the_time():
    lines, counts = [], []

    def repeated():
        counts.append(0)
        for _ in rounds.rounds(10 ** 9):
            time.sleep(.001)
            counts[-1] += 1
        return {}

    cases = {name: repeated for name in 'abc'}
    assert program.run(cases, lines.append, .3)
    assert len(ended(lines)) == 3 and min(counts) > 2
    # At least two rounds, and no case that would begin too late.
    lines.clear()
    assert program.run(cases, lines.append, 1e-9)
    assert lines[-1] == 'the time is over: 3 cases did not run'
