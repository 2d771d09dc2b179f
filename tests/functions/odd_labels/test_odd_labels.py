"""Outcomes of odd labels, beside those that the released Chainer gave."""
import json
import math
import re

import pytest

import chainer_fast as chainer
from tests.functions.odd_labels import calls, record

RECORDED = json.loads(record.RECORDS.read_text(encoding='utf-8'))


#: Calls and odd labels whose outcomes are meant to differ from Chainer's.
DIFFERENT = [
    # Chainer takes the score of another pair for a label below zero.
    (r'crf1d|CRF1d', r'[ts] (last|all) -\d+'),
    # Lengths out of range wrap around in Chainer; labels below zero may be blank there
    # and at the same time not.
    (r'connectionist.*, s, r\)', r'[sr] (last|all)|t last axis (short|none)'),
    (r'connectionist', 't last -3'),
    # The gradient of what is no permutation is not defined.
    (r'permutate', 't (last -2|all -1)'),
    # Chainer fails when a label of no class is not predicted, and not if it is.
    (r'label_num=3', 't (last|all) '),
    # Maxima of regions outside of the image are zero.
    (r'roi_max', ''),
    # Numbers that are given as lists, objects or unsigned are numbers as well.
    (r'D\.(Categorical|Bernoulli)', 't (list|[BHIO])'),
]


def _same(mine, theirs):
    if isinstance(mine, str) or isinstance(theirs, str):
        return type(mine) is type(theirs)
    for a, b in zip(mine, theirs, strict=False):
        if b.startswith('backward: '):
            return True     # an error of Chainer's own
        (shape, _, x), (other, _, y) = a.partition(' '), b.partition(' ')
        if shape != other or x != y and not math.isclose(
                float(x), float(y), rel_tol=.02, abs_tol=1e-5):
            return False
    return True


def _is_different(call, name):
    return any(re.search(what, call) and re.match(odd, name) for what, odd in DIFFERENT)


@pytest.mark.parametrize('line, call, arrays, labels', [
    pytest.param(*row, id=row[0]) for row in calls.table()])
def test_outcomes(line, call, arrays, labels):
    theirs = {name: outcome for outcome, names in RECORDED[line] for name in names}
    faults = [
        '%s: %s, where Chainer has %s' % (name, mine, theirs[name])
        for name, mine in record.outcomes(chainer, call, arrays, labels)
        if not _same(mine, theirs[name]) and not _is_different(call, name)
        # Arrays in either byte order are of the same type: there is a result.
        and not ('swapped' in name and theirs[name] == 'InvalidType'
                 and not isinstance(mine, str))]
    assert not faults, '\n'.join(faults)
