"""PyTorch's expressions of the sweep compute what ours do."""
import importlib
import warnings

import pytest

import chainer_fast
from benchmarks import compare

# With the package come the names by which its scripts import each other.
cases = importlib.import_module('sweep.cases')
torch = pytest.importorskip('torch')

SMALL = {'small', '64x4', 'length 10'}


@pytest.mark.parametrize('kind', sorted({row.kind.name for row in cases.ROWS.values()}))
def test_small_rows_agree(kind):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        for key, row in cases.ROWS.items():
            if row.kind.name != kind or row.size not in SMALL:
                continue
            theirs = cases.torch_step(torch, key)
            if theirs is None:
                continue
            ours = cases.chainer_step(chainer_fast, key)
            assert compare.agree(
                ours.check(), theirs.check(), *cases.tolerance(key)), row.title
