"""Outcomes of plain arrays of many types, beside those of the released Chainer.

What Chainer takes is taken, and the results have the same dtypes: plain arrays are
promoted by NumPy until they meet a variable, and only then cast to its dtype. What
Chainer refuses may be taken.
"""
import pytest

from tests.functions.plain_arrays import calls, record

RECORDED = record.read()

#: Calls with other outcomes, by their beginnings: without a check of types, floats of
#: the dtype of the first argument where Chainer promotes it, or the other way round.
OTHERS = (
    'deformable_convolution_2d_sampler|3|unchecked', 'layer_normalization|1|unchecked',
    'layer_normalization|2|unchecked', 'local_convolution_2d|2|unchecked',
    'negative_sampling|0|unchecked', 'negative_sampling|1|unchecked')


def _is_other(name):
    return name.startswith(OTHERS)


@pytest.mark.parametrize('function', sorted({
    name.partition('|')[0] for name in RECORDED}))
def test_outcomes(function):
    wrong = [
        (name, found, expected) for name, expected in RECORDED.items()
        if name.partition('|')[0] == function and not _is_other(name)
        and (found := calls.outcome(name)) != expected]
    assert not wrong


def test_every_call_with_another_outcome_has_one():
    for each in OTHERS:
        names = [name for name in RECORDED if name.startswith(each)]
        assert any(calls.outcome(name) != RECORDED[name] for name in names), each
