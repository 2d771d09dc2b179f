"""Errors for labels, ids and indexes out of range name them and their place."""
import sys

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
import chainer_fast.links as L
from chainer_fast import distributions as D

BAD = 2 ** 20
OUTSIDE = 'which is out of bounds: there are 3 %s, 0 to 2'


def scores(*shape, dtype):
    return chainer.Variable(np.linspace(.1, .9, int(np.prod(shape))).astype(
        dtype).reshape(shape))


def numbers(*values):
    return np.array(values, np.int32)


LABELS = numbers(0, BAD)

# The call, and what the error has to say.
CALLS = {
    'softmax_cross_entropy': (
        lambda x: F.softmax_cross_entropy(x, LABELS), 't[1]', 'classes'),
    'softmax_cross_entropy of images': (
        lambda x: F.softmax_cross_entropy(
            F.broadcast_to(x[:, :, None], (2, 3, 2)), numbers([0, -1], [BAD, 1])),
        't[1, 0]', 'classes'),
    'softmax_cross_entropy with weights': (
        lambda x: F.softmax_cross_entropy(
            x, LABELS, class_weight=np.ones(3, x.dtype), reduce='no'),
        't[1]', 'classes'),
    'classifier': (lambda x: L.Classifier(F.identity)(x, LABELS), 't[1]', 'classes'),
    'embed_id': (lambda x: F.embed_id(LABELS, x.T), 'x[1]', 'rows of W'),
    'embed_id that ignores one': (
        lambda x: F.embed_id(numbers([-1, BAD]), x.T, -1), 'x[0, 1]', 'rows of W'),
    'EmbedID': (lambda x: L.EmbedID(3, 2)(LABELS), 'x[1]', 'rows of W'),
    'select_item': (lambda x: F.select_item(x, LABELS), 't[1]', 'columns of x'),
    'hinge': (lambda x: F.hinge(x, LABELS), 't[1]', 'classes'),
    'hinge of norm L2': (
        lambda x: F.hinge(x, LABELS, norm='L2', reduce='no'), 't[1]', 'classes'),
    'permutate': (
        lambda x: F.permutate(x, numbers(0, BAD, 1), axis=1), 'indices[1]',
        'elements along axis 1'),
    'negative_sampling': (
        lambda x: F.negative_sampling(
            x, LABELS, scores(3, 3, dtype=x.dtype), lambda s: np.zeros(s, 'i'), 2),
        't[1]', 'rows of W'),
    'negative_sampling, samples': (
        lambda x: F.negative_sampling(
            x, numbers(0, 1), scores(3, 3, dtype=x.dtype),
            lambda s: np.full(s, BAD, 'i'), 2),
        'samples[0, 1]', 'rows of W'),
    'black_out': (
        lambda x: F.black_out(
            x, LABELS, scores(3, 3, dtype=x.dtype), numbers([0, 1], [1, 0])),
        't[1]', 'rows of W'),
    'connectionist_temporal_classification': (
        lambda x: F.connectionist_temporal_classification(
            [x] * 4, numbers([1, 2], [1, BAD]), 0), 't[1, 1]', 'classes'),
    'BinaryHierarchicalSoftmax': (
        lambda x: L.BinaryHierarchicalSoftmax(3, ((0, 1), 2), dtype=x.dtype)(
            x, LABELS), 't[1]', 'leaves'),
    'Categorical': (
        lambda x: D.Categorical(logit=x).log_prob(LABELS), 'x[1]', 'categories'),
}


# Single precision takes the compiled functions, half precision mostly NumPy's.
@pytest.mark.parametrize('dtype', [np.float32, np.float16])
@pytest.mark.parametrize('name', CALLS)
def test_error_names_label_place_and_number(name, dtype):
    call, place, what = CALLS[name]
    with chainer.using_config('dtype', dtype), pytest.raises(IndexError) as info:
        call(scores(2, 3, dtype=dtype))
    text = str(info.value)
    if sys.version_info < (3, 11):
        # Without notes, a second line names the link.
        text = text.split('\nIn the link: ')[0]
    assert text == '%s is %d, %s' % (place, BAD, OUTSIDE % what)
    assert info.value.__context__ is None or info.value.__suppress_context__


@pytest.mark.parametrize('label', [-4, 2 ** 40, -2 ** 40])
def test_other_labels_out_of_range(label):
    """Labels that a narrower integer would take for others."""
    with pytest.raises(IndexError, match=r't\[1\] is %d, ' % label):
        F.softmax_cross_entropy(scores(2, 3, dtype='f'), np.array([0, label]))


def test_an_error_of_another_cause_stays():
    from chainer_fast.utils import _labels
    error = IndexError('something else')
    assert _labels.explain(error, 3, 'classes', t=numbers(0, -3, 2)) is error


@pytest.mark.parametrize('label, place', [(3, 1), (-2, 1)])
@pytest.mark.parametrize('call, argument', [
    (lambda x, t: F.softmax_cross_entropy(x, t), 't'),
    (lambda x, t: F.embed_id(t, x.T), 'x'),
    (lambda x, t: F.select_item(x, t), 't'),
    (lambda x, t: F.crf1d(scores(3, 3, dtype='f'), [x, x], [t, t]), r'ys\[0\]'),
])
def test_debug_mode_raises_value_errors(call, argument, label, place):
    with chainer.using_config('debug', True), pytest.raises(
            ValueError, match=r'%s\[%d\] is %d\b' % (argument, place, label)):
        call(scores(2, 3, dtype='f'), numbers(0, label))


def test_crf1d():
    x = scores(2, 3, dtype='f')
    with pytest.raises(IndexError, match=r'ys\[1\]\[0\] is 3, but labels must be from '
                                         '0 to 2: there are 3 of them'):
        F.crf1d(scores(3, 3, dtype='f'), [x, x], [numbers(0, 1), numbers(3, 0)])


@pytest.mark.parametrize('indices, what', [
    ((0, -2, 1), 'Out of bounds index: -2'),
    ((0, 2, 2), 'indices contains duplicate value: 2'),
    ((1, 1), 'indices contains duplicate value: 1')])
def test_inverse_of_no_permutation(indices, what):
    """Elements that nothing was written to are not taken for indexes."""
    x = scores(3, 2, dtype='f')
    with pytest.raises(IndexError, match=what):
        F.permutate(x, numbers(*indices), inv=True)
    y = F.permutate(x, numbers(*indices))
    y.grad = np.ones_like(y.array)
    with pytest.raises(IndexError, match=what):
        y.backward()
