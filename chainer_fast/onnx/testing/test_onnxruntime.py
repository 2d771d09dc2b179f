"""Test cases run by onnxruntime."""
from __future__ import annotations

import glob
import importlib
import importlib.util
import os
from collections.abc import Sequence
from typing import Any

import numpy

from chainer_fast.onnx._library import onnx

ONNXRUNTIME_AVAILABLE = importlib.util.find_spec('onnxruntime') is not None


def load_test_data(
        data_dir: str, input_names: Sequence[str],
        output_names: Sequence[str]) -> tuple[dict[Any, Any], ...]:
    """Read the arrays of a test case.

    Parameters
    ----------
    data_dir : str
        Folder of the data, such as ``'model/test_data_set_0'``.
    input_names, output_names : sequence of str
        Names for the inputs and outputs in the order of the files.

    Returns
    -------
    tuple of dict
        Inputs and outputs, by name.
    """
    def load(kind, names):
        count = len(glob.glob(os.path.join(glob.escape(data_dir), kind + '_*.pb')))
        assert count == len(names), (
            '%s has %d files %s_*.pb, but %d names were given' % (
                data_dir, count, kind, len(names)))
        return {
            name: onnx.numpy_helper.to_array(onnx.load_tensor(
                os.path.join(data_dir, '%s_%d.pb' % (kind, i))))
            for i, name in enumerate(names)}
    return load('input', input_names), load('output', output_names)


def check_model_expect(
        test_path: str, input_names: Sequence[str] | None = None, rtol: float = 1e-5,
        atol: float = 1e-5) -> None:
    """Check that onnxruntime computes the outputs of a test case.

    Parameters
    ----------
    test_path : str
        Folder of the test case.
    input_names : sequence of str or None
        The expected inputs; by default those of the model that have no initializer.
    rtol, atol : float
        Tolerances.

    Raises
    ------
    AssertionError
        If an output or the names of the inputs differ.
    ImportError
        If onnxruntime is not installed.
    """
    path = os.path.join(test_path, 'model.onnx')
    session = importlib.import_module('onnxruntime').InferenceSession(
        path, providers=['CPUExecutionProvider'])
    graph = onnx.load(path).graph
    stored = {x.name for x in graph.initializer}
    names = [x.name for x in graph.input if x.name not in stored]
    if input_names is not None:
        assert sorted(input_names) == sorted(names), (
            'the inputs are %s, not %s' % (names, list(input_names)))
    output_names = [x.name for x in graph.output]
    folders = sorted(glob.glob(
        os.path.join(glob.escape(test_path), 'test_data_set_*')))
    assert folders, '%s has no test_data_set_*' % test_path
    for folder in folders:
        inputs, expected = load_test_data(folder, names, output_names)
        for name, actual in zip(
                output_names, session.run(output_names, inputs), strict=True):
            numpy.testing.assert_allclose(
                actual, expected[name], rtol=rtol, atol=atol)

