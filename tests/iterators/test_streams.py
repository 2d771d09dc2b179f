"""Seeded programs draw what they draw with the released Chainer 7.8.1."""
import json
import pathlib

import pytest

import chainer_fast
from tests.iterators import streams
from tests.iterators.processes import forked_workers

# Recorded by compat/streams.py.
CASES = json.loads(pathlib.Path(__file__).with_name('streams.json').read_text())


def settle(it):
    batches = [entry[0] for entry in getattr(it, '_ahead', ())]
    for batch in batches:
        if batch is not None:
            assert batch.wait(5)
    following = getattr(it, '_next', None)
    if following is not None:
        following.wait(5)


@pytest.mark.filterwarnings('ignore:.*multi-threaded:DeprecationWarning')
@pytest.mark.parametrize('case', [
    pytest.param(case, id='{iterator}-{steps}'.format(**case), marks=[
        pytest.mark.posix('workers are forked'),
    ] if case['iterator'] == 'MultiprocessIterator' else []) for case in CASES])
def test_draws_are_those_of_chainer(case):
    # Workers draw from a copy of the program's generator.
    with forked_workers():
        found = streams.run(case, chainer_fast, settle)
    assert json.loads(json.dumps(found)) == case['drawn']
