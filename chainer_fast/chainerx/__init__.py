"""ChainerX: arrays with automatic differentiation."""
from chainer_fast.chainerx import _interop as _core  # noqa: F401
from chainer_fast.chainerx import (  # noqa: F401
    _cuda, _operators, _variables, linalg as linalg, random as random)
from chainer_fast.chainerx._activation import *  # noqa: F401, F403
from chainer_fast.chainerx._arithmetic import *  # noqa: F401, F403
from chainer_fast.chainerx._array import ndarray as ndarray
from chainer_fast.chainerx._backward import backward as backward, grad as grad
from chainer_fast.chainerx._connection import *  # noqa: F401, F403
from chainer_fast.chainerx._constants import *  # noqa: F401, F403
from chainer_fast.chainerx._contexts import *  # noqa: F401, F403
from chainer_fast.chainerx._conversion import *  # noqa: F401, F403
from chainer_fast.chainerx._creation import *  # noqa: F401, F403
from chainer_fast.chainerx._diagonals import *  # noqa: F401, F403
from chainer_fast.chainerx._errors import *  # noqa: F401, F403
from chainer_fast.chainerx._evaluation import *  # noqa: F401, F403
from chainer_fast.chainerx._exponential import *  # noqa: F401, F403
from chainer_fast.chainerx._gradient_check import *  # noqa: F401, F403
from chainer_fast.chainerx._graphs import (
    anygraph as anygraph,
    backprop_scope as backprop_scope,
    force_backprop_mode as force_backprop_mode,
    is_backprop_required as is_backprop_required,
    no_backprop_mode as no_backprop_mode,
)
from chainer_fast.chainerx._indexing import *  # noqa: F401, F403
from chainer_fast.chainerx._interop import *  # noqa: F401, F403
from chainer_fast.chainerx._interop import _to_cupy  # noqa: F401
from chainer_fast.chainerx._joining import *  # noqa: F401, F403
from chainer_fast.chainerx._logic import *  # noqa: F401, F403
from chainer_fast.chainerx._loss import *  # noqa: F401, F403
from chainer_fast.chainerx._manipulation import *  # noqa: F401, F403
from chainer_fast.chainerx._normalization import *  # noqa: F401, F403
from chainer_fast.chainerx._pooling import *  # noqa: F401, F403
from chainer_fast.chainerx._reading import *  # noqa: F401, F403
from chainer_fast.chainerx._reduction import *  # noqa: F401, F403
from chainer_fast.chainerx._rnn import *  # noqa: F401, F403
from chainer_fast.chainerx._rounding import *  # noqa: F401, F403
from chainer_fast.chainerx._sorting import *  # noqa: F401, F403
from chainer_fast.chainerx._statistics import *  # noqa: F401, F403
from chainer_fast.chainerx._trigonometric import *  # noqa: F401, F403
