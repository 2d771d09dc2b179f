"""Exported functions beside their forward passes."""
import numpy
import onnx
import pytest

from chainer_fast import Chain, using_config
from chainer_fast.backends import cuda
from chainer_fast.onnx import load
from chainer_fast.onnx.export import export
from tests.onnx import runtime

OPSETS = range(7, onnx.defs.onnx_opset_version() + 1)


class Model(Chain):
    """A model that calls a function, with links of given names."""

    def __init__(self, function, **links):
        super().__init__()
        self._function = function
        with self.init_scope():
            for name, link in links.items():
                setattr(self, name, link)

    def forward(self, *args):
        return self._function(self, *args)


def run(model, inputs):
    """Return the outputs of an ONNX model for inputs in their order."""
    names = [each.name for each in model.graph.input]
    weights = {each.name for each in model.graph.initializer}
    feeds = dict(zip(
        [name for name in names if name not in weights], inputs, strict=True))
    return runtime.compute(model, feeds)


def _meaning(model, opset):
    """What tells the graph of one version from that of another."""
    since = [onnx.defs.get_schema(node.op_type, opset).since_version
             for node in model.graph.node]
    return [node.SerializeToString() for node in model.graph.node], since


def arrays(outputs):
    outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    return [cuda.to_cpu(getattr(each, 'array', each)) for each in outputs]


def _check_loaded(exported, inputs, expected, tolerance):
    with using_config('train', False), numpy.errstate(all='ignore'):
        results = load(exported)(*inputs)
    for got, wanted in zip(arrays(results), expected, strict=True):
        assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
        numpy.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)


def check(model, args, first=7, train=False, tolerance=1e-5, opsets=OPSETS,
          inputs=None):
    """Compare a model with its export, in each version that makes a difference.

    The export is computed by a runtime and, in test mode, loaded as a chain.

    Parameters
    ----------
    model : Link or callable
        The model, or a function of the arguments.
    args : sequence of array
        Its arguments.
    first : int
        The first version that has a form of the model; those before it refuse.
    train : bool
        Whether the model is exported in training mode.
    tolerance : float
        Absolute and relative tolerance.
    opsets : iterable of int
        The versions.
    inputs : sequence of array or None
        Other inputs of the same shapes to compare for; None for the arguments.

    Returns
    -------
    dict of onnx.ModelProto
        The exported models, by version.
    """
    if not isinstance(model, Chain):
        function = model
        model = Model(lambda self, *xs: function(*xs))
    made, last = {}, None
    for opset in opsets:
        if opset < first:
            with pytest.raises(RuntimeError, match='opset_version'):
                export(model, list(args), opset_version=opset, train=train)
            continue
        exported = export(model, list(args), opset_version=opset, train=train)
        made[opset] = exported
        meaning = _meaning(exported, opset)
        if meaning == last:
            continue
        last = meaning
        # Until version 9, constants of integers were no part of the standard.
        onnx.checker.check_model(exported, full_check=opset >= 9)
        with using_config('train', train):
            expected = arrays(model(*(args if inputs is None else inputs)))
        actual = run(exported, args if inputs is None else inputs)
        assert len(actual) == len(expected)
        for got, wanted in zip(actual, expected, strict=True):
            assert got.shape == wanted.shape, opset
            assert got.dtype == wanted.dtype, opset
            numpy.testing.assert_allclose(
                got, wanted, rtol=tolerance, atol=tolerance,
                err_msg='opset version %d' % opset)
        if not train:
            _check_loaded(exported, args if inputs is None else inputs, expected, max(
                tolerance, 1e-5))
    assert made
    return made
