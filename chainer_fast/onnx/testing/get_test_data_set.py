"""Folders of test cases, by opset version."""
from __future__ import annotations

import os
from typing import Any

from chainer_fast.link import Link
from chainer_fast.onnx.export_testcase import export_testcase

#: Folder of all test cases, in the current working folder.
TEST_OUT_DIR = 'out'


def gen_test_data_set(
        model: Link, args: Any, name: str, opset_version: int,
        **kwargs: Any) -> str:
    """Export a model with the data of a test case.

    Parameters
    ----------
    model : chainer_fast.Link
        The model.
    args : Variable, array, or list, tuple or dict of them
        Arguments of the model.
    name : str
        Name of the test case.
    opset_version : int
        Version of the operator set.
    **kwargs
        Further arguments of :func:`chainer_fast.onnx.export_testcase`.

    Returns
    -------
    str
        The folder, such as ``'out/opset9/NAME'``.
    """
    folder = os.path.join(TEST_OUT_DIR, 'opset%d' % opset_version, name)
    export_testcase(model, args, folder, opset_version=opset_version, **kwargs)
    return folder
