"""Scores of candidate classes, as differentiable functions."""
from chainer_fast.backends.kernels import negative_sampling as kernels
from chainer_fast.backends.kernels import record
from chainer_fast.backends.kernels.negative_sampling import compiled
from chainer_fast.function_node import FunctionNode
from chainer_fast.functions.array import cast
from chainer_fast.utils import type_check


@record(compiled.ScoresShortcut())
class Scores(FunctionNode):
    """Products of samples and the rows of their candidates.

    Parameters
    ----------
    ids : array of integers, shape (samples, n)
        Candidates of each sample: rows of the second input.
    counted : array of bool, shape (samples,), or None
        Samples that have scores; the scores of all other samples are zero.
    """

    def __init__(self, ids, counted=None):
        super().__init__()
        self.ids = ids
        self.counted = counted

    def check_type_forward(self, in_types):
        type_check._argname(in_types, ('x', 'W'))
        x_type, w_type = in_types
        for each in in_types:
            type_check.expect(each.dtype.kind == 'f', each.ndim == 2)
        type_check.expect(x_type.shape[1] == w_type.shape[1])

    def forward(self, inputs):
        self.retain_inputs((0, 1))
        return kernels.scores(*inputs, self.ids, self.counted),

    def backward(self, indexes, grad_outputs):
        x, W = inputs = self.get_retained_inputs()
        g, = grad_outputs
        return tuple([
            cast.cast(
                SumRows(self.ids, self.counted).apply((g, W))[0] if i == 0 else
                SpreadRows(self.ids, self.counted, len(W.array)).apply((g, x))[0],
                inputs[i].dtype)
            for i in indexes])


class SumRows(Scores):
    """Weighted sums of the rows of candidates: gradient with respect to the samples."""

    def check_type_forward(self, in_types):
        pass

    def forward(self, inputs):
        self.retain_inputs((0, 1))
        return kernels.sum_rows(*inputs, self.ids, self.counted),

    def backward(self, indexes, grad_outputs):
        g, W = self.get_retained_inputs()
        h, = grad_outputs
        return tuple([
            Scores(self.ids, self.counted).apply((h, W))[0] if i == 0 else
            SpreadRows(self.ids, self.counted, len(W.array)).apply((g, h))[0]
            for i in indexes])


class SpreadRows(Scores):
    """Samples added to their candidates' rows: gradient with respect to the matrix.

    Parameters
    ----------
    ids, counted
        As for :class:`Scores`.
    rows : int
        Number of rows.
    """

    def __init__(self, ids, counted, rows):
        super().__init__(ids, counted)
        self.rows = rows

    def check_type_forward(self, in_types):
        pass

    def forward(self, inputs):
        self.retain_inputs((0, 1))
        return kernels.spread_rows(*inputs, self.ids, self.counted, self.rows),

    def backward(self, indexes, grad_outputs):
        g, x = self.get_retained_inputs()
        h, = grad_outputs
        return tuple([
            Scores(self.ids, self.counted).apply((x, h))[0] if i == 0 else
            SumRows(self.ids, self.counted).apply((g, h))[0]
            for i in indexes])
