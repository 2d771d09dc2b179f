from __future__ import annotations

import collections.abc
from collections.abc import Sequence

import numpy

from chainer_fast import backend
from chainer_fast.backends import arrays
from chainer_fast.backends.kernels import ctc
from chainer_fast.configuration import config
from chainer_fast.function import Function
from chainer_fast.functions.array import stack
from chainer_fast.functions.loss import _reduction
from chainer_fast.types import GradArrays, NdArray, Xp
from chainer_fast.utils import _labels, type_check
from chainer_fast.utils.type_check import TypeInfoTuple
from chainer_fast.variable import Variable, VariableOrArray


class ConnectionistTemporalClassification(Function):
    """Loss of labels whose order is known but whose times are not.

    Attributes
    ----------
    zero_padding : float
        Value used for the logarithm of zero: -1e4 in half precision, otherwise -1e10;
        None before the first forward pass.
    path : array, shape (batch, states)
        The labels of the last forward pass, with blanks around them and between them.
    path_length : array, shape (batch,)
        Number of states of each sample.
    input_length : array, shape (batch,)
        Number of times of each sample.
    """

    path: Xp
    path_length: NdArray

    zero_padding: float | None = None

    def __init__(self, blank_symbol: int, reduce: str = 'mean') -> None:
        _reduction.check_mean_or_no(reduce)
        self.blank_symbol = blank_symbol
        self.reduce = reduce

    def check_type_forward(self, in_types: TypeInfoTuple) -> None:
        type_check._argname(in_types, ('input_length', 'label_length', 't', 'x'))
        *int_types, x_type = in_types
        for each, ndim in zip(int_types, (1, 1, 2), strict=True):
            type_check.expect(each.dtype == numpy.int32)
            type_check.expect(each.ndim == ndim)
        type_check.expect(x_type.dtype.kind == 'f')
        type_check.expect(x_type.ndim == 3)
        for each in int_types:
            type_check.expect(each.shape[0] == x_type.shape[1])

    def log_matrix(self, x: NdArray, xp: Xp) -> NdArray:
        """Logarithm of an array, :attr:`zero_padding` where an element is zero."""
        zero = x == 0
        return xp.where(zero, x.dtype.type(self.zero_padding), xp.log(x + zero))

    def calc_trans(
            self, yseq: NdArray, input_length: NdArray, label: NdArray,
            label_length: NdArray, path: NdArray, path_length: NdArray,
            xp: Xp) -> NdArray:
        """Logarithms of the probabilities of all paths through each state at each time.

        Parameters
        ----------
        yseq : array, shape (time, batch, classes)
            Logarithms of the probabilities of the classes.
        input_length : array, shape (batch,)
            Number of times of each sample.
        label, label_length : array
            Not used.
        path : array, shape (batch, states)
            Labels and blanks.
        path_length : array, shape (batch,)
            Number of states of each sample.
        xp : module
            Not used.

        Returns
        -------
        array, shape (time, batch, states)
        """
        log_p = xp.take_along_axis(yseq, path[None], axis=2)
        result, _ = ctc.path_probabilities(
            log_p, path, input_length - 1, path_length)
        return xp.maximum(result, self.zero_padding).astype(yseq.dtype)

    def label_probability(
            self, label_size: int, path: NdArray, path_length: NdArray,
            multiply_seq: NdArray, xp: Xp) -> NdArray:
        """Sum the probabilities of the states of a path by class.

        Parameters
        ----------
        label_size : int
            Number of classes.
        path : array, shape (batch, states)
            Labels and blanks.
        path_length : array, shape (batch,)
            Number of states of each sample.
        multiply_seq : array, shape (time, batch, states)
            Probabilities of the states.
        xp : module
            Not used.

        Returns
        -------
        array, shape (time, batch, label_size)
        """
        return ctc.sum_by_class(multiply_seq, path, path_length, label_size)

    def forward(self, inputs: tuple[NdArray, ...]) -> tuple[NdArray, ...]:
        input_length, label_length, t, x = inputs
        self._check_labels(t, input_length, label_length, x)
        self.zero_padding = -1e4 if x.dtype.char == 'e' else -1e10
        self.input_length = input_length
        self.path = ctc.paths(t, self.blank_symbol)
        self.path_length = 2 * label_length + 1
        scores = x.astype(numpy.float32) if x.dtype.char == 'e' else x
        losses, self._gx = ctc.ctc(
            scores, t, self.blank_symbol, input_length, label_length,
            config.enable_backprop)
        xp = backend.get_array_module(x)
        losses = xp.minimum(losses, -self.zero_padding)
        if self.reduce == 'mean':
            losses = losses.mean()
        return arrays.floating(losses, x.dtype),

    def _check_labels(self, t, input_length, label_length, x):
        if backend.get_array_module(t) is not numpy:
            # The check would have to wait for the GPU.
            return
        times, _, classes = x.shape
        if t.size and not (-classes <= t.min() and t.max() < classes):
            raise _labels.explain(IndexError(), classes, 'classes', t=t)
        # The loss is read at the time before input_length, which counts from the end
        # if it is negative.
        for name, lengths, low, high, of in (
                ('input_length', input_length, 1 - times, times, 'times in x'),
                ('label_length', label_length, 0, t.shape[1], 'labels of a row of t')):
            given = lengths.tolist()    # For a batch, lists are faster than arrays.
            if given and not (min(given) >= low and max(given) <= high):
                raise (AssertionError if config.debug else ValueError)(
                    '%s must be from 0 to the %s %s, but goes from %s to %s' % (
                        name, high, of, min(given), max(given)))

    def backward(
            self, inputs: tuple[NdArray, ...],
            grad_output: GradArrays) -> tuple[NdArray | None, ...]:
        gloss, = grad_output
        dtype = inputs[3].dtype
        gloss = gloss.astype(self._gx.dtype, copy=False)
        if self.reduce == 'mean':
            gloss = gloss / gloss.dtype.type(inputs[3].shape[1])
        else:
            gloss = gloss[:, None]
        return None, None, None, (self._gx * gloss).astype(dtype, copy=False)


def _lengths(given, batch, length, xp):
    """Return the given lengths, or ``length`` for every sample."""
    if given is not None:
        return given
    return xp.full(batch, length, dtype=numpy.int32)


def connectionist_temporal_classification(
        x: Sequence[VariableOrArray], t: VariableOrArray, blank_symbol: int,
        input_length: Variable | NdArray | None = None,
        label_length: Variable | NdArray | None = None,
        reduce: str = 'mean') -> Variable:
    """Connectionist temporal classification loss of unsegmented sequences.

    .. math:: L = -\\log \\sum_{\\pi} \\prod_t \\operatorname{softmax}(x_t)_{\\pi_t}

    where the sum is over all paths :math:`\\pi` in which the labels occur in the given
    order, each for one or more time steps, with or without blanks between them.

    See: `Connectionist Temporal Classification: Labelling Unsegmented Sequence Data
    with Recurrent Neural Networks <https://doi.org/10.1145/1143844.1143891>`_

    Parameters
    ----------
    x : sequence of Variables or arrays
        Scores at each time, before any softmax, of a floating dtype and shape
        ``(batch, classes)``.
    t : Variable or array
        Labels, of dtype int32 and shape ``(batch, n)``. Rows with fewer labels are
        padded with any class, or with -1.
    blank_symbol : int
        The class that means no label.
    input_length : Variable, array or None
        Number of times of each sample, of dtype int32 and shape ``(batch,)``; all times
        of ``x`` if None.
    label_length : Variable, array or None
        Number of labels of each sample, of dtype int32 and shape ``(batch,)``; ``n`` if
        None.
    reduce : str
        ``'mean'`` for the mean over the samples, ``'no'`` for the loss of each sample.

    Returns
    -------
    Variable
        The loss, of the dtype of ``x``: a scalar, or an array of shape ``(batch,)``
        with ``reduce='no'``. It can be differentiated once. Samples whose labels are
        impossible, for example because there are more labels than time steps, have a
        loss of 1e10, or 1e4 in half precision, and no gradient.

    Raises
    ------
    chainer_fast.utils.type_check.InvalidType
        If a dtype or a shape is not the one above.
    TypeError
        If ``x`` is not a sequence or ``blank_symbol`` not an int.
    AssertionError
        If ``blank_symbol`` is not a class.
    IndexError
        If a label is not a class.
    ValueError
        If ``reduce`` has another value, or a length is out of range; for a length, an
        ``AssertionError`` in debug mode.

    See Also
    --------
    chainer_fast.functions.softmax_cross_entropy
    chainer_fast.functions.crf1d

    Examples
    --------
    >>> x = [np.zeros((1, 2), np.float32)] * 2      # two times, two classes, all alike
    >>> t = np.array([[1]], np.int32)
    >>> loss = F.connectionist_temporal_classification(x, t, blank_symbol=0)
    >>> F.exp(-loss).array                          # the paths 11, 01 and 10 of four
    array(0.75, dtype=float32)
    """
    if not isinstance(x, collections.abc.Sequence):
        raise TypeError(
            'x must be a list of Variables, one for each time, not %s'
            % type(x).__name__)
    if not isinstance(blank_symbol, int):
        raise TypeError(
            'blank_symbol must be non-negative integer, not %r' % (blank_symbol,))
    classes = x[0].shape[1]
    assert 0 <= blank_symbol < classes, (
        'blank_symbol must be one of the %s classes of x, not %s'
        % (classes, blank_symbol))
    xp = backend.get_array_module(x[0])
    input_length = _lengths(input_length, len(x[0]), len(x), xp)
    if label_length is None:
        label_length = _lengths(None, len(t), t.shape[1], xp)
    loss = ConnectionistTemporalClassification(blank_symbol, reduce)
    return loss(input_length, label_length, t, stack.stack(x))
