"""Outputs of ONNX models, as a runtime computes them."""
import onnx
import onnx.reference
import onnxruntime
from onnx import helper

_OPTIONS = onnxruntime.SessionOptions()
_OPTIONS.log_severity_level = 4
_OPTIONS.intra_op_num_threads = 1


def session(model):
    """Return a session of onnxruntime, for a model or the path of a file."""
    source = model.SerializeToString() if isinstance(
        model, onnx.ModelProto) else str(model)
    return onnxruntime.InferenceSession(
        source, _OPTIONS, providers=['CPUExecutionProvider'])


def _newest_opset():
    x, y = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1])
            for name in 'xy']
    graph = helper.make_graph([helper.make_node('Relu', ['x'], ['y'])], 'g', [x], [y])
    for opset in range(onnx.defs.onnx_opset_version(), 7, -1):
        imports = [helper.make_opsetid('', opset)]
        try:
            session(helper.make_model(
                graph, opset_imports=imports,
                ir_version=helper.find_min_ir_version_for(imports)))
        except onnxruntime.capi.onnxruntime_pybind11_state.Fail:
            continue
        return opset


#: The newest version of the operator set that onnxruntime reads: that for Python 3.10
#: is older than ONNX.
NEWEST_OPSET = _newest_opset()


def compute(model, feeds):
    """Return the outputs of a model.

    They come from onnxruntime, or from the reference of ONNX for what that lacks: new
    versions, operators for some dtypes, and old versions of some operators.

    Parameters
    ----------
    model : onnx.ModelProto
    feeds : dict of array
        Inputs by their names.
    """
    opset = next(each.version for each in model.opset_import if not each.domain)
    if opset <= NEWEST_OPSET:
        try:
            return session(model).run(None, feeds)
        except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented:
            pass
    return onnx.reference.ReferenceEvaluator(model).run(None, feeds)
