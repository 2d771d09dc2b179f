"""Update rules: how one parameter moves along its gradient."""
import numpy

from chainer_fast import _toplevel, backend, initializers, variable
from chainer_fast._hookable import _Hookable
from chainer_fast._hyperparameter import Hyperparameter
from chainer_fast.backends import cuda
from chainer_fast.serializer import Deserializer


class UpdateRule:
    """Base class of all update rules.

    A rule belongs to one parameter: it holds the parameter's hyperparameters, which
    fall back on those of the optimizer, its states such as moving averages, and the
    number of its updates.  A subclass overrides :meth:`update_core`, or
    :meth:`update_core_cpu` and :meth:`update_core_gpu`, and :meth:`init_state` if it
    has states.

    Parameters
    ----------
    parent_hyperparam : Hyperparameter, optional
        Where hyperparameters are looked up that the rule has no value of.

    Attributes
    ----------
    enabled : bool
        If False, :meth:`update` does nothing.
    hyperparam : Hyperparameter
    t : int
        Number of updates so far.
    is_elementwise : bool
        Whether each element moves independently of all others.
    """

    __module__ = 'chainer_fast.optimizer'

    is_elementwise = False

    # What an instance has, in this order; compiled code reads it by these names.
    _fields = (
        'hyperparam', 'enabled', 't', '_hookable', '_state', '_use_fp32_update',
        '_fp32_param')

    def __init__(self, parent_hyperparam=None):
        self.hyperparam = Hyperparameter(parent_hyperparam)
        self.enabled = True
        self.t = 0
        self._hookable = _Hookable()
        self._state = None
        self._use_fp32_update = False
        self._fp32_param = None

    def use_fp32_update(self, flag=True):
        """Choose whether a float16 parameter is updated in float32.

        The rule then keeps a float32 copy of the parameter, which collects updates
        that are too small for float16.

        Parameters
        ----------
        flag : bool
        """
        self._use_fp32_update = flag

    def update(self, param):
        """Count one update and run it, hooks included, unless the rule is disabled.

        A parameter with a loss scale has its gradient divided by the scale in place.

        Parameters
        ----------
        param : Variable
            Variable to be updated.
        """
        if not self.enabled:
            return
        self.t += 1
        if self._use_fp32_update and _is_float16(param):
            self.__update_in_fp32(param)
        else:
            self.__update(param, param._loss_scale)

    def __update(self, param, loss_scale):
        if param.array is not None:
            self._init_states(param)
            if loss_scale is not None and param.grad is not None:
                grad = param.grad
                grad /= loss_scale
        for hook in self._hookable.hooks('pre'):
            hook(self, param)
        self.update_core(param)
        for hook in self._hookable.hooks('post'):
            hook(self, param)

    def __update_in_fp32(self, param):
        """Update a float32 twin of the parameter, and round it to float16."""
        twin = self._fp32_param
        if twin is None or (twin.array is None and param.array is not None):
            twin = self._fp32_param = self.__make_twin(param)
        if param._grad_valid:   # otherwise the twin refuses to show one as well
            grad = param.grad
            twin.grad = None if grad is None else grad.astype(numpy.float32)
        self.__update(twin, param._loss_scale)
        if twin.array is not None:
            param.array[...] = twin.array
            twin.cleargrad()

    def __make_twin(self, param):
        if param.array is None:
            return self._create_uninitialized_parameter(numpy.float32, param.device)
        return variable.Parameter(param.array.astype(numpy.float32))

    def _create_uninitialized_parameter(self, dtype, device):
        """Return a parameter without array that knows its dtype and device."""
        twin = variable.Parameter(initializers.Zero(dtype))
        twin.to_device(device)
        return twin

    def update_core(self, param):
        """Move the parameter by the formula of its device.

        Parameters
        ----------
        param : Variable
            Variable to be updated.
        """
        device = param.device
        if device.xp is numpy:
            self.update_core_cpu(param)
        elif device.xp is cuda.cupy:
            with backend.using_device(device):
                self.update_core_gpu(param)
        else:
            self.update_core_chainerx(param)

    def update_core_gpu(self, param):
        """Move the parameter, held as a CuPy array; to be overridden."""
        raise NotImplementedError

    def update_core_cpu(self, param):
        """Move the parameter, held as a NumPy array; to be overridden."""
        raise NotImplementedError

    def update_core_chainerx(self, param):
        """Move the parameter, held as a ChainerX array: it cannot be had here."""
        raise RuntimeError('ChainerX is not available')

    def init_state(self, param):
        """Fill ``self.state`` for the parameter; to be overridden if there are states.

        It is called once before the first update.  It is also called with a small
        dummy variable to learn the names of the states when they are to be loaded.

        Parameters
        ----------
        param : Variable
            Variable whose array and device the states have to match.
        """

    @property
    def state(self):
        """Dictionary of the states; None before the first update."""
        return self._state

    def serialize(self, serializer):
        """Save or load the count of updates and the states.

        Parameters
        ----------
        serializer : AbstractSerializer
        """
        self.t = serializer('t', self.t)
        if self._state is not None:
            for name, value in self._state.items():
                self._state[name] = serializer(name, value)
        elif isinstance(serializer, Deserializer):
            self._state = self.__load_states(serializer)

    def __load_states(self, deserializer):
        """Read the states of a rule that has none yet; None if any is missing."""
        self._state = {}
        try:
            self.init_state(variable.Variable(numpy.zeros(1, numpy.float32)))
            names = list(self._state)
        finally:
            self._state = None
        loaded = {}
        for name in names:
            try:
                loaded[name] = deserializer(name, None)
            except KeyError:
                # The file may be of a time when the rule was disabled.
                if self.enabled:
                    raise
                return None
        if any(value is None for value in loaded.values()):
            return None
        return loaded

    def _check_states(self, param, path):
        """Raise an error if states that were loaded are not those of the parameter."""
        array, states = param.array, self._state
        if array is None or states is None or all(
                getattr(state, 'shape', None) == array.shape
                and state.dtype.kind in 'biufc' for state in states.values()):
            return
        # Few rules have states of other shapes, so see what there should be.
        try:
            self._state = {}
            self.init_state(variable.Variable(array))
            expected = self._state
        finally:
            self._state = states
        for name, state in states.items():
            shape = numpy.shape(expected.get(name))
            if name in expected and numpy.shape(state) != shape:
                raise ValueError(
                    'state %r of %s has shape %s, and not %s as the parameter needs it'
                    % (name, path, numpy.shape(state), shape))
            if getattr(state, 'dtype', array.dtype).kind not in 'biufc':
                raise TypeError(
                    'state %r of %s has dtype %s, which is none of numbers'
                    % (name, path, state.dtype))

    def _init_states(self, param):
        """Make the states if there are none, and keep them where the parameter is."""
        if self._state is None:
            self._state = {}
            self.init_state(param)
        device = param.device
        on_cpu = device.xp is numpy
        for name, value in self._state.items():
            if on_cpu and isinstance(value, numpy.ndarray):
                continue
            if isinstance(value, _toplevel.get_array_types()):
                self._state[name] = device.send(value)

    def add_hook(self, hook, name=None, timing='auto'):
        """Register a function to call around the updates of the parameter.

        Parameters
        ----------
        hook : callable
            Called as ``hook(rule, param)``.
        name : str, optional
            Name of the hook; by default its attribute ``name`` or ``__name__``.
        timing : {'auto', 'pre', 'post'}
            When to call it: before the update, while the gradient can still be
            changed, or after it.  ``'auto'`` reads the attribute ``timing`` of the
            hook.

        Raises
        ------
        TypeError
            If the hook is not callable.
        ValueError
            If it has no name, or the timing is none of the three.
        KeyError
            If the name is taken.
        """
        self._hookable.add_hook(hook, name=name, timing=timing)

    def remove_hook(self, name):
        """Take out the hook of that name; KeyError if there is none."""
        self._hookable.remove_hook(name)


def _is_float16(param):
    """Whether a parameter, initialized or not, is known to be of float16."""
    try:
        return param.dtype == numpy.float16
    except RuntimeError:
        return False
