"""Export of models to ONNX files, with data to test runtimes."""
from __future__ import annotations

import glob
import os
import re
import warnings
from typing import Any

from chainer_fast import _backprop, backend
from chainer_fast import variable as _variable
from chainer_fast.backends import cuda
from chainer_fast.link import Link
from chainer_fast.onnx import _model_state
from chainer_fast.onnx.export import export
from chainer_fast.onnx.onnx_helper import cleanse_param_name, write_tensor_pb


def export_testcase(
        model: Link, args: Any, out_dir: str, output_grad: bool = False,
        **kwargs: Any) -> None:
    """Export a model to ONNX, together with the data of a test case.

    The folder has the layout of ONNX's own tests, which runtimes read::

        out_dir
        |-- model.onnx
        `-- test_data_set_0
            |-- input_0.pb, input_1.pb, ...
            |-- output_0.pb, ...
            `-- gradient_0.pb, ...

    Parameters
    ----------
    model : chainer_fast.Link
        The model.
    args : Variable, array, or list, tuple or dict of them
        Arguments of the model, which become the inputs of the test case.
    out_dir : str or path
        The folder, which is created if it does not exist.
    output_grad : bool
        Also write the gradients of the parameters, for output gradients of ones.
        The model's own gradients are not changed.
    **kwargs
        Further arguments of :func:`chainer_fast.onnx.export`.

    Raises
    ------
    ValueError, RuntimeError
        As in :func:`chainer_fast.onnx.export`; also if a gradient cannot be
        computed.

    Warns
    -----
    UserWarning
        If a parameter gets no gradient.

    See Also
    --------
    chainer_fast.onnx.export

    Examples
    --------
    ::

        chainer_fast.onnx.export_testcase(model, x, 'out')
    """
    os.makedirs(out_dir, exist_ok=True)
    _, inputs, outputs = export(
        model, args, filename=os.path.join(out_dir, 'model.onnx'),
        return_named_inout=True, no_testcase=True, **kwargs)

    folder = os.path.join(out_dir, 'test_data_set_0')
    os.makedirs(folder, exist_ok=True)
    _write(folder, 'input', inputs)
    _write(folder, 'output', outputs)
    gradients = {}
    if output_grad:
        with _model_state.unchanged(model):
            gradients = _compute_gradients(model, outputs)
    _write(folder, 'gradient', gradients)


def _write(folder, kind, arrays):
    """Write arrays to files of one kind, and remove those of an earlier test case."""
    for i, (name, x) in enumerate(arrays.items()):
        array = x.array if isinstance(x, _variable.Variable) else x
        write_tensor_pb(
            os.path.join(folder, '%s_%d.pb' % (kind, i)), name, cuda.to_cpu(array))
    for path in glob.glob(os.path.join(glob.escape(folder), kind + '_*.pb')):
        number = re.fullmatch(r'%s_(\d+)\.pb' % kind, os.path.basename(path))
        if number and int(number[1]) >= len(arrays):
            os.remove(path)


def _compute_gradients(model, outputs):
    """Return the gradients of the parameters by their names."""
    model.cleargrads()
    reached = [y for y in outputs.values() if y.dtype.kind == 'f' and y.requires_grad]
    if reached:
        _backprop.backward(reached, [
            _variable.Variable(backend.get_array_module(y.array).ones_like(y.array))
            for y in reached])
    gradients = {}
    for path, param in model.namedparams():
        if param.array is None or param.grad is None:
            warnings.warn(
                'Parameter `%s` does not have gradient value' % path, UserWarning)
        else:
            gradients[cleanse_param_name(path)] = param.grad
    return gradients
