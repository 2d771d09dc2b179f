"""ChainerX: arrays with automatic differentiation."""
from chainer_fast.chainerx._array import ndarray  # noqa: F401
from chainer_fast.chainerx._backward import backward, grad  # noqa: F401
from chainer_fast.chainerx._contexts import *  # noqa: F401, F403
from chainer_fast.chainerx import _operators  # noqa: F401
from chainer_fast.chainerx._arithmetic import *  # noqa: F401, F403
from chainer_fast.chainerx._logic import *  # noqa: F401, F403
from chainer_fast.chainerx._exponential import *  # noqa: F401, F403
from chainer_fast.chainerx._rounding import *  # noqa: F401, F403
from chainer_fast.chainerx._trigonometric import *  # noqa: F401, F403
