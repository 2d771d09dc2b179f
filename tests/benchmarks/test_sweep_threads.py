"""Steps of the sweep spend their time in loops that several threads can share."""
import importlib
import sys
import time

import pytest

import chainer_fast as chainer
from benchmarks import compare  # noqa: F401 (it finds the package of the sweep)
from chainer_fast._cpu import shared

cases = importlib.import_module('sweep.cases')

pytestmark = pytest.mark.skipif(
    sys.platform != 'linux' or shared.level() == 'base',
    reason='there are no threads for loops elsewhere, and BLAS has its own')

#: Seconds of steps that are long enough, and the least part of them in shared loops.
LEAST, PART = 300e-6, .25

#: Rows with less than this part, by what takes the time.
ALONE = {row: reason for reason, rows in {
    "NumPy's generator, whose stream is one": [
        'activation gumbel_softmax', 'row or column simplified_dropconnect',
        'loss of two arrays gaussian', 'activation dropout', 'activation zoneout'],
    "SciPy's function": ['special function zeta'],
    "NumPy's selection": ['part of rows x[x > 0]'],
    'many small functions': [
        'part of rows x[i] in a loop', 'part of rows x[:, i] in a loop'],
    'short loops that are not divided': [
        'copy repeat axis 3', 'copy separate', 'copy shift', 'reduction prod of all',
        'reduction batch_l2_norm_squared', 'row or column maxout',
        'loss of two arrays binary_accuracy', 'loss of two arrays r2_score'],
}.items() for row in rows}

#: Kinds of rows with products of matrices: a measurement chooses who computes these.
PRODUCTS = (
    'product', 'batched product', 'linear', 'attention', 'matrix', 'LSTM cell',
    'GRU cell', 'steps of a sequence', 'link', 'loss of vectors')

#: Rows of medium size, of floats in C order.
ROWS = {row.title.removesuffix(' medium'): key for key, row in cases.ROWS.items()
        if row.title.endswith(' medium') and row.dtype == 'f'
        and not row.title.startswith(PRODUCTS)}


def shared_part(step):
    """Return seconds of a step on one thread, and the part that could be shared."""
    found = []
    shared.note_loops(True)
    try:
        with chainer.using_config('num_threads', 2):
            for _ in range(4):
                begin = time.perf_counter()
                step()
                took = time.perf_counter() - begin
                loops = sum([loop for _, _, loop in shared.noted_loops()])
                found.append((took, loops / 1e9 / took))
    finally:
        shared.note_loops(False)
    return min(found)


def test_reasons_are_for_rows():
    assert ALONE.keys() <= ROWS.keys()


@pytest.mark.filterwarnings('ignore::DeprecationWarning')
@pytest.mark.parametrize('row', [row for row in ROWS if row not in ALONE])
def test_long_steps_are_shared(row):
    step = cases.chainer_step(chainer, ROWS[row])
    step()
    # Another program may take the time.
    for _ in range(4):
        took, part = shared_part(step)
        if took < LEAST or part >= PART:
            return
    pytest.fail('%.0f microseconds, of which %.0f %% are in loops that threads share'
                % (took * 1e6, 100 * part))
