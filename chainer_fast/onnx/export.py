"""Models as ONNX files."""
import chainer_fast
from chainer_fast import configuration, function_hook
from chainer_fast import variable as _variable
from chainer_fast.backends import cuda
from chainer_fast.onnx import mapping
from chainer_fast.onnx._library import onnx
from chainer_fast.onnx.context import Context
from chainer_fast.onnx.graph import Graph
from chainer_fast.onnx.onnx_helper import NP_TYPE_TO_TENSOR_TYPE

MINIMUM_OPSET_VERSION = 7


class _Recorder(function_hook.FunctionHook):
    name = '_ONNXRecorder'

    def __init__(self):
        self.arrays = {}

    def forward_postprocess(self, function, in_data):
        self.arrays[function] = in_data


def export(model, args, filename=None, export_params=True, graph_name='Graph',
           save_text=False, opset_version=None, input_names=None, output_names=None,
           train=False, return_named_inout=False, external_converters=None,
           external_opset_imports=None, input_shapes=None, no_testcase=False):
    opset_version = opset_version or onnx.defs.onnx_opset_version()
    recorder = _Recorder()
    args = args if isinstance(args, (list, tuple)) else (args,)
    args = [_variable.as_variable(a) for a in args]
    context = Context(model)
    inputs = {}
    with configuration.using_config('train', train), recorder:
        outputs = model(*args)
    outputs = outputs if isinstance(outputs, (list, tuple)) else (outputs,)
    for i, x in enumerate(args):
        name = input_names[i] if input_names else 'Input_%d' % i
        context.set_name(x, name, pinned=True)
        inputs[name] = x
    if output_names:
        for y, name in zip(outputs, output_names, strict=True):
            context.set_name(y, name, pinned=True)
    converters = dict(mapping.converters)
    converters.update(external_converters or {})
    graph = Graph(context, converters, opset_version, inputs,
                  dict(enumerate(outputs)))
    graph.to_onnx_graph()

    named = [(context.get_name(p), p.array) for p in model.params()]
    arrays = {id(n): a for f, xs in recorder.arrays.items()
              for n, a in zip(f.inputs, xs, strict=True)}
    implicit = [(name, arrays[id(node)])
                for name, node in context.implicit_inputs.items()]
    extra = [(context.get_name(a), a) for a in context.parameters]
    data = [(n, cuda.to_cpu(a)) for n, a in [*named, *implicit, *extra]]

    def info(name, array):
        return onnx.helper.make_tensor_value_info(
            name, NP_TYPE_TO_TENSOR_TYPE[array.dtype], array.shape)

    proto = onnx.helper.make_graph(
        graph.graph, graph_name,
        [info(n, a) for n, a in data] + [info(n, x.array) for n, x in inputs.items()],
        [info(context.get_name(y), y.array) for y in outputs],
        [onnx.numpy_helper.from_array(a, n) for n, a in data])
    made = onnx.helper.make_model(
        proto, producer_name='Chainer', producer_version=chainer_fast.__version__,
        opset_imports=[onnx.helper.make_opsetid('', opset_version)])
    onnx.checker.check_model(made, full_check=True)
    if filename:
        onnx.save(made, filename)
    return made
