import inspect
import json
import math
import re

import pytest

from tests.arguments import calls, cases, forms, record

LIBRARY = calls.Library('chainer_fast')
RECORDED = json.loads(record.RECORDS.read_text(encoding='utf-8'))

# Forms that Chainer takes where NumPy 1 does, and NumPy 2 does not: bools of NumPy as
# places in a list.
_NUMPY_1 = {
    'bool_': {'index', 'start', 'stop', 'step'},
    'tuple of arrays of one axis': {'counts'},
    'tuple of bool': {'order'},
}

# Chainer takes these for a value that nobody asked for: it permutes the first axis
# where -1 is the last; small unsigned numbers wrap around; a tuple times an array is an
# array.
_MENDED = {
    ('conv_nd.as_tuple', 2),
    ('F.permutate', -1), ('F.shift', (1, 2)), ('independent', 1),
    ('F.roi_average_align_2d', (12, 100))}

# Other errors than Chainer's, of calls that make no sense.
_ACCIDENTS = {
    ('upsampling', 'ksize'): ['IndexError'],
    ('F.upsampling_2d', 'ksize'): ['IndexError'],
    ('L.LocalConvolution2D', 'in_size'): ['ZeroDivisionError'],
    ('F.roi_pooling_2d', 'spatial_scale'): ['UFuncTypeError']}

# Arguments that are not of the kinds here, with the reason.
_OTHERS = {
    'D.PickleDatasetWriter': 'the protocol of pickle',
    'D.open_pickle_dataset_writer': 'the protocol of pickle',
    'D.get_cifar10': 'data of a network', 'D.get_cifar100': 'data of a network',
    'D.get_fashion_mnist': 'data of a network', 'D.get_mnist': 'data of a network',
    'D.get_kuzushiji_mnist': 'data of a network',
    'D.get_cross_validation_datasets': 'an earlier name of n_folds',
    'D.get_cross_validation_datasets_random': 'an earlier name of n_folds',
    'It.MultiprocessIterator': 'bytes of shared memory and lives of processes',
    'L.Classifier': 'label_key: the case of the classifier',
    'L.MultiHeadAttention': 'an addition, which Chainer does not have',
}


def _same(mine, theirs):
    """Compare two summaries of results."""
    if len(mine) != len(theirs):
        return False
    for a, b in zip(mine, theirs, strict=True):
        if a == b:
            continue
        if not (isinstance(a, str) and isinstance(b, str)) or ' ' not in a:
            return False
        (shape, x), (other, y) = a.split(' '), b.split(' ')
        # An array of one number may be a number.
        if {shape, other} - {'', '1'} and shape != other or not math.isclose(
                float(x), float(y), rel_tol=1e-2, abs_tol=5e-3):
            return False
    return True


def _is_mended(case):
    values = [tuple(each) if isinstance(each, list) else each
              for each in case.varied.values()]
    return any((case.name, each) in _MENDED for each in values)


def _is_left(form, key):
    return key in _NUMPY_1.get(form, ())


@pytest.mark.parametrize('number', range(len(cases.CASES)), ids=lambda i: '%d-%s' % (
    i, cases.CASES[i].name))
def test_forms_are_taken_as_chainer_takes_them(number):
    case, theirs = cases.CASES[number], RECORDED[number]
    wrong = []
    given = None
    for key, form, outcome in LIBRARY.outcomes(case):
        refused = isinstance(outcome, tuple)
        mine = None if refused else record.summarize(outcome)
        letter = record.letter(form, case.varied[key])
        if form == 'given':
            given = mine
        error = next((name for name, letters in theirs[key].items()
                      if name != 'other' and letter in letters), None)
        if error is not None:
            # What Chainer refuses may be taken. Its accidents are TypeError or
            # ValueError here; WrongKind is a TypeError.
            if refused and outcome[0] not in (
                    error, 'TypeError', 'ValueError', 'WrongKind',
                    *_ACCIDENTS.get((case.name, key), ())):
                wrong.append((key, form, outcome, error))
            continue
        if refused:
            if not _is_left(form, key):
                wrong.append((key, form, outcome, 'accepted'))
            continue
        if key == 'seed' or _is_mended(case):
            continue
        expected = theirs[key].get('other', {}).get(letter, theirs['given'])
        if expected is not None and not _same(mine, expected):
            wrong.append((key, form, mine, expected))
    assert not wrong
    assert given is not None or theirs['given'] is None


def _takes_integers(parameter):
    return re.search(r'\bint\b', str(parameter.annotation)) is not None


@pytest.mark.parametrize('short', ['F', 'L', 'D', 'It'])
def test_every_argument_that_is_an_integer_has_a_case(short):
    known = {}
    for case in cases.CASES:
        known.setdefault(case.name, set()).update(case.varied)
    module = LIBRARY.short[short]
    missing = {}
    for name in dir(module):
        public = getattr(module, name)
        full = '%s.%s' % (short, name)
        if name.startswith('_') or not callable(public) or full in _OTHERS or (
                not public.__module__.startswith('chainer_fast')):
            continue
        left = [
            parameter.name
            for parameter in inspect.signature(public).parameters.values()
            if _takes_integers(parameter) and parameter.name not in known.get(full, ())]
        if left:
            missing[full] = left
    assert missing == {}


def test_a_form_has_a_letter():
    for value in 1, (1, 2):
        letters = [record.letter(form, value) for form in forms.names(value)]
        assert len(set(letters)) == len(letters)
