"""A program under the names of Chainer's distribution, as `user_code.py` is under ours.

`assert_type` says that the types are those of chainer_fast.
"""
import chainer
import chainer.functions as F
import chainer.links as L
import chainermn
import chainerx as chx
import numpy as np
import onnx_chainer
from chainer.functions.activation.relu import ReLU
from chainermn.communicators.communicator_base import CommunicatorBase
from typing_extensions import assert_type

import chainer_fast
import chainer_fast.functions.activation.relu
import chainer_fast.mn


def same_types(comm: CommunicatorBase) -> None:
    x = chainer.Variable(np.zeros((3, 2), np.float32))
    assert_type(x, chainer_fast.Variable)
    assert_type(F.relu(x), chainer_fast.Variable)
    assert_type(chainer.functions.relu(x), chainer.Variable)
    assert_type(ReLU(), chainer_fast.functions.activation.relu.ReLU)
    assert_type(L.Linear(2, 3).copy(), chainer_fast.links.Linear)
    assert_type(comm, chainer_fast.mn.CommunicatorBase)
    assert_type(chainermn.create_communicator('naive'), CommunicatorBase)
    assert_type(chainer.__version__, str)
    assert_type(onnx_chainer.MAXIMUM_OPSET_VERSION, int)


def arrays_of_chainerx() -> None:
    x = chx.array([1.], 'float32').require_grad()
    assert_type(x, chx.ndarray)
    chx.backward(x.sum())
