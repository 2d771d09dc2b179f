"""Outcomes of odd arguments, beside those that the released Chainer gave.

An outcome is the results with the gradients, or an error. What differs, and may, is
listed by the calls that it is about; anything else is a fault. What Chainer itself
fails with may have a result here.
"""
import json

import pytest

import chainer_fast as chainer
from tests.functions.odd_arguments import calls, record

RECORDED = record.read()

#: Errors where Chainer computes something, nearly always by accident: from an array of
#: one element as a number, from a list in its place, or beyond a limit of the type.
ERRORS_HERE = json.loads(
    record.RECORDS.with_name('errors_here.json').read_text(encoding='utf-8'))
#: Other results: types that do not creep, and numbers that are infinite or NaN.
OTHER_RESULTS = json.loads(
    record.RECORDS.with_name('other_results.json').read_text(encoding='utf-8'))


def _close(a, b):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_close, a, b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b or (a != a and b != b) or abs(a - b) <= .02 * max(
            abs(a), abs(b)) + 2e-5
    return a == b


def _fault(name):
    """Return what is wrong with a call, or None."""
    expected = RECORDED[name]
    found = json.loads(json.dumps(calls.outcome(chainer, name)))
    if isinstance(found, str):
        if found == 'SystemError' or (
                not isinstance(expected, str) and name not in ERRORS_HERE):
            return '%s: %s, where Chainer has a result' % (name, found)
    elif isinstance(expected, str):
        return None     # what Chainer fails with may well have a result
    elif not _close(found, expected) and name not in OTHER_RESULTS:
        return '%s: %s, not %s' % (name, str(found)[:300], str(expected)[:300])
    return None


@pytest.mark.parametrize('what', sorted({
    name.partition('=')[0] for name in RECORDED}))
def test_outcomes(what):
    faults = [_fault(name) for name in RECORDED if name.startswith(what + '=')]
    faults = [each for each in faults if each]
    assert not faults, '\n'.join(faults)


def test_arguments_are_not_changed():
    for name in calls.names(chainer):
        value = calls.VALUES[name.rpartition('=')[2]]
        if type(value).__name__ in ('ndarray', 'list'):
            before = repr(value)
            calls.outcome(chainer, name)
            assert repr(value) == before, name
