"""Networks from ONNX files, as chains."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from chainer_fast.backends.arrays import get_array_types
from chainer_fast.link import Chain
from chainer_fast.onnx._load import graph as graphs
from chainer_fast.onnx._load import operators, program, reading  # noqa: F401
from chainer_fast.variable import Parameter, Variable, as_variable


class ONNXChain(Chain):
    """A chain made from an ONNX file, which can be trained.

    Moments of batch normalizations are persistent values, and so are constants that are
    combined with data; constants that specify a computation, such as shapes, are part
    of the program. ``chainer.config.train`` selects the behaviour of dropout and batch
    normalization.

    Parameters
    ----------
    source : str, os.PathLike[str], binary file or onnx.ModelProto
        The model; see :func:`load`.
    trainable : callable, optional
        Selects the initializers that are parameters; see :func:`load`.

    Attributes
    ----------
    input_names, output_names : tuple of str
        Names of the inputs and outputs of the graph.
    initializer_names : dict
        Names in the file of the parameters and persistent values, by attribute.
    opset_version : int
        Version of the operators of the file.

    Raises
    ------
    ImportError, OSError, ValueError, TypeError, NotImplementedError
        As in :func:`load`.

    See Also
    --------
    chainer_fast.onnx.load

    Examples
    --------
    Features from the middle of a network: ::

        model = chainer_fast.onnx.ONNXChain('model.onnx')
        features = model.compute({'x': x}, ['relu_5'])['relu_5']
    """

    # Names that no initializer may have.
    _inputs: dict[Any, Any] = {}
    _program: Any = None

    def __init__(
            self, source: Any,
            trainable: Callable[..., Any] | None = None) -> None:
        super().__init__()
        model, name = reading.read(source)
        graph = graphs.Graph(model, name, trainable)
        self.opset_version: int = graph.opset
        self.input_names: tuple[str, ...] = tuple([each.name for each in graph.inputs])
        self.output_names: tuple[str, ...] = tuple(graph.outputs)
        self.initializer_names: dict[Any, Any] = {}
        attributes = {}

        def new_attribute(name):
            attribute = graph.attribute_name(name, lambda each: hasattr(self, each))
            self.initializer_names[attribute] = name
            if name in graph.parameters:
                with self.init_scope():
                    setattr(self, attribute, Parameter(graph.parameters[name]))
            else:
                arrays = graph.statistics if name in graph.statistics else graph.known
                self.add_persistent(attribute, arrays[name])
            return attribute

        for name in [*graph.parameters, *graph.statistics]:
            attributes[name] = new_attribute(name)
        self._inputs = {each.name: each for each in graph.inputs}
        self._program = program.Program(program.Description(
            graph.opset, [node.SerializeToString() for node in graph.nodes],
            graph.inputs, graph.outputs, graph.known, attributes), new_attribute)

    def forward(
            self, *args: Any, **kwargs: Any) -> Variable | tuple[Variable, ...]:
        """Compute the outputs of the graph.

        Parameters
        ----------
        *args : Variable or array
            Inputs in the order of ``input_names``.
        **kwargs : Variable or array
            Further inputs, by name.

        Returns
        -------
        Variable or tuple of Variable
            The output, or all of them if there are several.

        Raises
        ------
        TypeError
            If an input is missing, unknown, given twice, or has a dtype or a number of
            axes that differs from the graph.
        """
        if len(args) > len(self.input_names):
            raise TypeError('the graph has %d inputs, %s, but %d were passed' % (
                len(self.input_names), list(self.input_names), len(args)))
        given = dict(zip(self.input_names, args, strict=False))
        twice = sorted(given.keys() & kwargs.keys())
        if twice:
            raise TypeError('the inputs %s were passed both by position and by '
                            'name' % twice)
        results = self._compute({**given, **kwargs}, self.output_names)
        return results[0] if len(results) == 1 else tuple(results)

    def compute(
            self, inputs: dict[Any, Any],
            outputs: str | Sequence[str] | None = None) -> dict[Any, Any]:
        """Compute values of the graph by name.

        Only nodes that these values need are computed.

        Parameters
        ----------
        inputs : dict
            Variables or arrays by name.
        outputs : str or sequence of str, optional
            Names of outputs or intermediate values; by default all outputs.

        Returns
        -------
        dict
            Variables by name.

        Raises
        ------
        TypeError
            If inputs are wrong, see :meth:`forward`.
        KeyError
            If a value does not exist.
        """
        if outputs is None:
            outputs = self.output_names
        names = (outputs,) if isinstance(outputs, str) else tuple(outputs)
        for name in names:
            if not self._program.has(name):
                raise KeyError(
                    'the graph has no value %r; its outputs are %s' % (
                        name, list(self.output_names)))
        return dict(zip(names, self._compute(dict(inputs), names), strict=True))

    def _compute(self, given, names):
        unknown = sorted(given.keys() - self._inputs.keys())
        missing = [name for name in self.input_names if name not in given]
        if unknown or missing:
            raise TypeError('the inputs of the graph are %s; %s' % (
                list(self.input_names), '; '.join(
                    ['%s does not exist' % name for name in unknown]
                    + ['%s is missing' % name for name in missing])))
        return self._program.run(
            self, {name: _checked(self._inputs[name], x) for name, x in given.items()},
            names)


def _checked(declared, x):
    if not isinstance(x, (Variable, get_array_types())):
        raise TypeError('the input %r must be a Variable or an array, not %s' % (
            declared.name, type(x).__name__))
    if declared.dtype is not None and x.dtype != declared.dtype:
        raise TypeError('the input %r must be of dtype %s, not %s' % (
            declared.name, declared.dtype, x.dtype))
    if declared.ndim is not None and x.ndim != declared.ndim:
        raise TypeError('the input %r must have %d axes, but has the shape %s' % (
            declared.name, declared.ndim, x.shape))
    return as_variable(x) if x.dtype.kind == 'f' else x


def load(
        source: Any, trainable: Callable[..., Any] | None = None) -> ONNXChain:
    """Load a network from an ONNX file as a chain.

    The chain computes with Chainer's functions. It can be trained, saved by
    serializers, moved to devices, copied, and exported again.

    Parameters
    ----------
    source : str, os.PathLike[str], binary file or onnx.ModelProto
        The model, of opset 7 or later.
    trainable : callable, optional
        Function of the name and the array of an initializer that returns whether it
        becomes a parameter. It is called for initializers with floating-point dtypes,
        unless they are moments or only specify a computation (bounds, scales). By
        default, they become parameters if they have at least one axis; in files written
        by Chainer, if they were parameters.

    Returns
    -------
    ONNXChain
        The network.

    Raises
    ------
    ImportError
        If the package onnx is not installed.
    OSError
        If the file, or an accompanying file with data, cannot be read.
    ValueError
        If the file is invalid.
    TypeError
        If a tensor has a type that arrays do not support, such as strings.
    NotImplementedError
        If nodes are not supported; the message lists all of them, with the
        reasons.

    See Also
    --------
    chainer_fast.onnx.export

    Examples
    --------
    >>> model = chainer_fast.onnx.load('model.onnx')  # doctest: +SKIP
    >>> y = model(x)  # doctest: +SKIP

    To train only the last layer:

    >>> model = chainer_fast.onnx.load(
    ...     'model.onnx',
    ...     trainable=lambda name, array: name.startswith('fc.'))  # doctest: +SKIP
    """
    return ONNXChain(source, trainable)
