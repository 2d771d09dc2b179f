"""How converters of functions to nodes are called."""


class FunctionConverterParams:
    """What a converter gets.

    Attributes
    ----------
    func : chainer_fast.FunctionNode
        The function, after its application.
    opset_version : int
        Version of the operator set that is exported to.
    input_names, output_names : list of str
        Names of its inputs and outputs in the ONNX graph.
    context : chainer_fast.onnx.context.Context
        Names and constants of the export.
    """

    def __init__(self, func=None, opset_version=None, input_names=None,
                 output_names=None, context=None):
        self.func = func
        self.opset_version = opset_version
        self.input_names = input_names
        self.output_names = output_names
        self.context = context


class FunctionConverter:
    """A converter of this package, called with :class:`FunctionConverterParams`.

    Parameters
    ----------
    converter : callable
        Called with the five attributes of the parameters, in their order; returns a
        tuple of nodes, the last of which makes the outputs.
    """

    def __init__(self, converter):
        self.converter = converter

    def __call__(self, params):
        return self.converter(
            params.func, params.opset_version, params.input_names,
            params.output_names, params.context)
