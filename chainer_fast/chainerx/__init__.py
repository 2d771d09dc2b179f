"""ChainerX: arrays with automatic differentiation."""
from chainer_fast.chainerx import linalg  # noqa: F401
from chainer_fast.chainerx._array import ndarray  # noqa: F401
from chainer_fast.chainerx._backward import backward, grad  # noqa: F401
from chainer_fast.chainerx._contexts import *  # noqa: F401, F403
from chainer_fast.chainerx import _operators  # noqa: F401
from chainer_fast.chainerx._arithmetic import *  # noqa: F401, F403
from chainer_fast.chainerx._logic import *  # noqa: F401, F403
from chainer_fast.chainerx._exponential import *  # noqa: F401, F403
from chainer_fast.chainerx._rounding import *  # noqa: F401, F403
from chainer_fast.chainerx._trigonometric import *  # noqa: F401, F403
from chainer_fast.chainerx._activation import *  # noqa: F401, F403
from chainer_fast.chainerx._connection import *  # noqa: F401, F403
from chainer_fast.chainerx._evaluation import *  # noqa: F401, F403
from chainer_fast.chainerx._loss import *  # noqa: F401, F403
from chainer_fast.chainerx._normalization import *  # noqa: F401, F403
from chainer_fast.chainerx._pooling import *  # noqa: F401, F403
from chainer_fast.chainerx._reduction import *  # noqa: F401, F403
from chainer_fast.chainerx._rnn import *  # noqa: F401, F403
from chainer_fast.chainerx._sorting import *  # noqa: F401, F403
from chainer_fast.chainerx._statistics import *  # noqa: F401, F403
from chainer_fast.chainerx import _variables  # noqa: F401
