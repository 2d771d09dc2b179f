"""Test cases run by MXNet."""
from __future__ import annotations

from collections.abc import Sequence

from chainer_fast.onnx.testing.test_onnxruntime import load_test_data  # noqa: F401

#: MXNet is no longer developed, and has no release for the versions of NumPy in use.
MXNET_AVAILABLE = False


def check_model_expect(
        test_path: str, input_names: Sequence[str] | None = None, rtol: float = 1e-5,
        atol: float = 1e-5) -> None:
    """Raise ImportError: MXNet cannot be installed beside this package.

    Its arguments are those of
    :func:`chainer_fast.onnx.testing.test_onnxruntime.check_model_expect`, which
    replaces it.
    """
    raise ImportError(
        'MXNet has no release for the NumPy in use: check models with '
        'onnx_chainer.testing.test_onnxruntime')
