"""Summaries of models: shapes, parameters, multiply-adds and memory of each layer.

Chainer 7.8.1 does not have these.
"""
from __future__ import annotations

import typing as tp

from chainer_fast import configuration, reporter
from chainer_fast._help import display
from chainer_fast._help.display.table import Table
from chainer_fast._help.summary import _layers, _unchanged
from chainer_fast.link import Link


class ModelSummary:
    """What :func:`chainer_fast.summary` found; a console and a notebook show a table.

    Attributes
    ----------
    layers : list
        A record of each link, in the order of :meth:`chainer_fast.Link.namedlinks`,
        with ``path``, ``kind``, ``parameters``, ``parameter_bytes``,
        ``uninitialized``, ``calls``, ``outputs``, ``output_bytes`` and
        ``multiply_adds``. Numbers of a chain are those without the links in it.
    parameters, parameter_bytes, uninitialized, output_bytes, multiply_adds : int
        Sums over the layers.
    """

    layers: list[_layers.Layer]
    parameters: int
    parameter_bytes: int
    uninitialized: int
    output_bytes: int
    multiply_adds: int

    def __init__(self, layers: tp.Iterable[_layers.Layer]) -> None:
        self.layers = list(layers)
        for name in ('parameters', 'parameter_bytes', 'uninitialized', 'output_bytes',
                     'multiply_adds'):
            setattr(self, name, sum(getattr(each, name) for each in self.layers))

    def __repr__(self) -> str:
        return '%r\n\n%s' % (self._table(), '\n'.join(self._totals()))

    def _repr_html_(self):
        # Names are indented by spaces.
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


def summary(model: Link, *inputs: tp.Any, **kwargs: tp.Any) -> ModelSummary:
    """Tell the output shapes, parameters, multiply-adds and memory of each layer.

    The model is called in test mode, without a graph, and stays as it is: running
    statistics, recurrent states, parameters that are not initialized, and random
    numbers. Its parameters are not copied if all are initialized. Without inputs only
    parameters are counted, and the model is not called.

    A multiply-add is one product that is added to a sum. Of samples :math:`N`, places
    of an image :math:`P`, channels :math:`C`, a kernel of :math:`K` places, :math:`g`
    groups and :math:`n` units, these are counted:

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
                         and 1 for others; a state that is not there yet costs nothing
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
        Arguments to call it with, on its device.
    **kwargs
        Keyword arguments to call it with.

    Returns
    -------
    ModelSummary
        The table, whose numbers are attributes: ``layers``, ``parameters``,
        ``parameter_bytes``, ``multiply_adds``, ``output_bytes`` and ``uninitialized``,
        the number of parameters that have no shape. Memory is in bytes: that of
        parameters without gradients, and that of the outputs of links that call no
        others. What a chain computes by functions between its links is not in it.

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
        raise TypeError('a summary is that of a link, not of %s' % type(model).__name__)
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
