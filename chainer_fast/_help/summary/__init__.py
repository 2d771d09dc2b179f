"""Summaries of models: shapes, parameters, multiply-adds and memory of each layer.

Chainer 7.8.1 has no counterpart.
"""
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from chainer_fast import configuration, reporter
from chainer_fast._help import display
from chainer_fast._help.display.table import Table
from chainer_fast._help.summary import _layers, _unchanged
from chainer_fast.link import Link


class ModelSummary:
    """Result of :func:`chainer_fast.summary`, displayed as a table.

    Attributes
    ----------
    layers : list
        A record for each link, in the order of
        :meth:`chainer_fast.Link.namedlinks`, with ``path``, ``kind``,
        ``parameters``, ``parameter_bytes``, ``uninitialized``, ``calls``,
        ``outputs``, ``output_bytes`` and ``multiply_adds``. Numbers of a chain
        exclude those of its child links.
    parameters, parameter_bytes, uninitialized, output_bytes, multiply_adds : int
        Sums over the layers.
    """

    layers: list[_layers.Layer]
    parameters: int
    parameter_bytes: int
    uninitialized: int
    output_bytes: int
    multiply_adds: int

    def __init__(self, layers: Iterable[_layers.Layer]) -> None:
        self.layers = list(layers)
        for name in ('parameters', 'parameter_bytes', 'uninitialized', 'output_bytes',
                     'multiply_adds'):
            setattr(self, name, sum(getattr(each, name) for each in self.layers))

    def __repr__(self) -> str:
        return '%r\n\n%s' % (self._table(), '\n'.join(self._totals()))

    def _repr_html_(self):
        # Spaces indent the names.
        return '<div style="white-space:pre">%s%s</div>' % (
            self._table()._repr_html_(), '<br>'.join(self._totals()))

    def _table(self):
        if not self._was_called():
            return Table(['link', 'class', 'parameters', 'memory'], [
                [_name(each), each.kind, _parameters(each),
                 _size(each.parameter_bytes)] for each in self.layers], (2, 3))
        headings = ['link', 'class', 'output', 'parameters', 'multiply-adds', 'memory']
        return Table(headings, [
            [_name(each), each.kind, _calls(each), _parameters(each),
             f'{each.multiply_adds:,}' if each.multiply_adds else '',
             _size(each.parameter_bytes + each.output_bytes)]
            for each in self.layers], (3, 4, 5))

    def _was_called(self):
        return any(each.calls for each in self.layers)

    def _totals(self):
        yield 'parameters: %s (%s)' % (
            f'{self.parameters:,}', display.size(self.parameter_bytes))
        if self.uninitialized:
            yield '%s not initialized' % display.plural(self.uninitialized, 'array')
        if self._was_called():
            yield f'multiply-adds: {self.multiply_adds:,}'
            yield 'outputs: %s' % display.size(self.output_bytes)


def summary(model: Link, *inputs: Any, **kwargs: Any) -> ModelSummary:
    """Summarize output shapes, parameters, multiply-adds and memory of each layer.

    The model is called in test mode, without a graph. The call does not change it:
    running statistics, recurrent states, uninitialized parameters and the state of
    random numbers are restored. The parameters are not copied if all are initialized.
    Without inputs, only parameters are counted, and the model is not called.

    A multiply-add is one product that is added to a sum. With :math:`N` samples,
    images of :math:`P` pixels, :math:`C` channels, kernels of :math:`K` elements,
    :math:`g` groups and :math:`n` units, the counts are:

    ==================== =============================================================
    convolution          :math:`N P_\\text{out} K C_\\text{in} C_\\text{out} / g`
    deconvolution        :math:`N P_\\text{in} K C_\\text{in} C_\\text{out} / g`
    linear               :math:`N C_\\text{in} C_\\text{out}`
    bilinear             :math:`N C_1 C_2 C_\\text{out}`
    products of arrays   the product of the lengths of all axes, each axis that the
                         operands of ``F.matmul``, ``F.tensordot`` or ``F.einsum``
                         share once
    recurrent layers     :math:`G n (C_\\text{in} + n)` for each sample of each step
                         and each direction, with :math:`G` = 4 for LSTM, 3 for GRU
                         and 1 for others; an initial state that is None costs nothing
    normalization        1 for each element, the scaling and shifting; statistics are
                         not counted
    all else             0, such as embeddings, which only copy, pooling and
                         activations
    ==================== =============================================================

    Parameters
    ----------
    model : chainer_fast.Link
        The model.
    *inputs
        Arguments of the call, on the model's device.
    **kwargs
        Keyword arguments of the call.

    Returns
    -------
    ModelSummary
        The table; its numbers are attributes: ``layers``, ``parameters``,
        ``parameter_bytes``, ``multiply_adds``, ``output_bytes`` and ``uninitialized``,
        the number of parameters without a shape. Memory is in bytes: that of
        parameters, without gradients, and that of the outputs of links that call no
        other links. It does not include results of functions that a chain calls
        between its links.

    Raises
    ------
    TypeError
        If ``model`` is not a link.

    See Also
    --------
    chainer_fast.Link.count_params
    chainer_fast.link_hooks.TimerHook

    Examples
    --------
    >>> model = chainer.Sequential(
    ...     L.Convolution2D(3, 8, ksize=3, pad=1), F.relu, L.Linear(None, 10))
    >>> images = np.zeros((2, 3, 32, 32), np.float32)
    >>> found = chainer.summary(model, images)
    >>> print(found)
    link  class          output          parameters  multiply-adds   memory
    /     Sequential     (2, 10)
      0   Convolution2D  (2, 8, 32, 32)         224        442,368  66.4 kB
      1   Linear         (2, 10)             81,930        163,840   328 kB
    <BLANKLINE>
    parameters: 82,154 (329 kB)
    multiply-adds: 606,208
    outputs: 65.6 kB
    >>> found.layers[1].multiply_adds == 2 * 32 * 32 * 3 * 3 * 3 * 8
    True
    >>> model[2].W.is_initialized
    False
    """
    if not isinstance(model, Link):
        raise TypeError('summary() needs a link, but got %s' % type(model).__name__)
    layers = _layers.Layers(model)
    if not inputs and not kwargs:
        layers.count_parameters()
        return ModelSummary(layers)
    links = _layers.LinkMeter(layers)
    observer = reporter.Reporter()
    observer.add_observer('', model)
    observer.add_observers('', model.namedlinks(skipself=True))
    with _unchanged.unchanged(model), configuration.using_config('train', False), \
            configuration.using_config('enable_backprop', False), \
            observer, links, _layers.FunctionMeter(links):
        model(*inputs, **kwargs)
        layers.count_parameters()
    return ModelSummary(layers)


def _name(layer):
    above, _, name = layer.path.rpartition('/')
    return '  ' * (above.count('/') + bool(name)) + (name or '/')


def _parameters(layer):
    if layer.uninitialized:
        return 'not initialized'
    return f'{layer.parameters:,}' if layer.parameters else ''


def _calls(layer):
    if not layer.calls:
        return 'not called'
    text = ', '.join(map(str, layer.outputs))
    return text if layer.calls == 1 else '%s, %d calls' % (text, layer.calls)


def _size(n_bytes):
    return display.size(n_bytes) if n_bytes else ''
