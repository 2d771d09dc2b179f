"""Optimizers, which update the parameters of a link by their gradients."""
from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy

from chainer_fast import backend, initializers, optimizer_hooks, variable
from chainer_fast import link as link_module
from chainer_fast._core.updates import update
from chainer_fast._core.updates import update as _gradients
from chainer_fast._core.updates import update as _update
from chainer_fast._core.graphs.graph import Methods as _Methods
from chainer_fast._help import display, mistakes
from chainer_fast.backends import cuda
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.backends.kernels.update_rules import cuda as update_kernels
from chainer_fast.backends.kernels.update_rules import recipes
from chainer_fast.link import Link
from chainer_fast.optimizer import _loss_scaling, _moved, _registration, _shown, _states
from chainer_fast.optimizer._hookable import _Hookable, _OptimizerHookable
from chainer_fast.optimizer._loss_scaling import _LossScaling
from chainer_fast.optimizer._moved import make_deprecation_message  # noqa: F401
from chainer_fast.serializer import AbstractSerializer, Deserializer
from chainer_fast.variable import Parameter, Variable


class Hyperparameter:
    """Set of named values; a missing value is looked up in a parent.

    An optimizer has one, and the update rule of each parameter has a child of it: a
    value set on the optimizer applies to all rules that do not set their own value.

    Parameters
    ----------
    parent : Hyperparameter, optional
        Object in which missing attributes are looked up.

    Attributes
    ----------
    parent : Hyperparameter or None
        Object that supplies the values that this one lacks.

    Examples
    --------
    >>> optimizer = chainer.optimizers.SGD(lr=0.1)
    >>> rule = optimizer.create_update_rule()
    >>> optimizer.lr = 0.2
    >>> rule.hyperparam.lr
    0.2
    >>> rule.hyperparam.lr = 0.01
    >>> optimizer.lr, rule.hyperparam.lr
    (0.2, 0.01)
    """

    # Attribute of an instance without values; compiled code reads it by this name.
    _fields = ('_parent',)

    def __init__(self, parent: Hyperparameter | None = None) -> None:
        self._parent = parent

    if TYPE_CHECKING:
        # A value can have any name.
        def __setattr__(self, name: str, value: Any) -> None: ...

    def __getattr__(self, name: str) -> Any:
        # Called only if the instance has no such attribute; an instance that is being
        # copied or unpickled has no parent yet.
        parent = self.__dict__.get('_parent')
        if parent is None:
            raise AttributeError(
                'hyperparameter %r is set neither here nor in a parent' % (name,))
        return getattr(parent, name)

    def __repr__(self) -> str:
        pairs = ['%s=%s' % pair for pair in sorted(self.get_dict().items())]
        return 'Hyperparameter(%s)' % ', '.join(pairs)

    @property
    def parent(self) -> Hyperparameter | None:
        """Hyperparameter that supplies missing attributes, or None."""
        return self._parent

    def get_dict(self) -> dict[Any, Any]:
        """Return all values, the inherited ones included.

        Returns
        -------
        dict
            The values by name.
        """
        inherited = {} if self._parent is None else self._parent.get_dict()
        own = {key: value for key, value in vars(self).items() if key != '_parent'}
        return {**inherited, **own}


class HyperparameterProxy:
    """Attribute of an optimizer that accesses a value in its ``hyperparam``.

    Parameters
    ----------
    attr_name : str
        Name of the hyperparameter.
    """

    def __init__(self, attr_name: str) -> None:
        self._attr_name = attr_name
        self.__doc__ = 'The value of ``self.hyperparam.%s``.' % attr_name

    def __set__(self, obj: Any, value: Any) -> None:
        setattr(obj.hyperparam, self._attr_name, value)

    def __get__(self, obj: Any, type: type | None = None) -> Any:
        return self if obj is None else getattr(obj.hyperparam, self._attr_name)


class UpdateRule(_states.Stateful):
    """Base class of all update rules.

    A rule belongs to one parameter. It has the hyperparameters for this parameter,
    which default to those of the optimizer, its states, such as moving averages, and
    the number of its updates. A subclass overrides :meth:`update_core`, or
    :meth:`update_core_cpu` and :meth:`update_core_gpu`, and :meth:`init_state` if it
    has states.

    Parameters
    ----------
    parent_hyperparam : Hyperparameter, optional
        Object that supplies the values that the rule does not set.

    Attributes
    ----------
    enabled : bool
        If False, :meth:`update` does nothing.
    hyperparam : Hyperparameter
        The hyperparameters.
    t : int
        Number of updates so far.
    is_elementwise : bool
        Whether each element is updated independently of all others.

    See Also
    --------
    chainer_fast.GradientMethod

    Examples
    --------
    Another learning rate for one parameter:

    >>> model = L.Linear(3, 2)
    >>> optimizer = chainer.optimizers.SGD(lr=0.1).setup(model)
    >>> model.b.update_rule.hyperparam.lr = 0.01
    >>> model.W.update_rule.hyperparam.lr, model.b.update_rule.hyperparam.lr
    (0.1, 0.01)
    """

    is_elementwise = False

    # Attributes of an instance, in this order; compiled code reads them by these names.
    _fields = (
        'hyperparam', 'enabled', 't', '_hookable', '_state', '_use_fp32_update',
        '_fp32_param')

    def __init__(self, parent_hyperparam: Hyperparameter | None = None) -> None:
        self.hyperparam: Hyperparameter = Hyperparameter(parent_hyperparam)
        self.enabled = True
        self.t: int = 0
        self._hookable = _Hookable()
        self._state = None
        self._use_fp32_update = False
        self._fp32_param = None

    def use_fp32_update(self, flag: bool = True) -> None:
        """Choose whether a float16 parameter is updated in float32.

        The rule then keeps a float32 copy of the parameter, which collects updates
        that are too small for float16.

        Parameters
        ----------
        flag : bool
            Whether to update it in float32.
        """
        self._use_fp32_update = flag

    def update(self, param: Variable) -> None:
        """Count one update and run it, with its hooks, unless the rule is disabled.

        A gradient with a loss scale is divided by the scale in place before the hooks
        are called. The gradient of a float16 parameter that is updated in float32 is
        not changed, and the hooks receive the float32 copies.

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
            self.__update(param)

    def __update(self, param):
        if param.array is not None:
            self._init_states(param)
            _loss_scaling.unscale(param)
        for hook in self._hookable.hooks('pre'):
            hook(self, param)
        self.update_core(param)
        for hook in self._hookable.hooks('post'):
            hook(self, param)

    def __update_in_fp32(self, param):
        """Update a float32 copy of the parameter, and round it to float16."""
        twin = self._fp32_param
        if not isinstance(twin, Variable) or (
                twin.array is None and param.array is not None):
            twin = self._fp32_param = self.__make_twin(param, twin)
        if param._grad_valid:   # else grad of the copy must raise, too
            grad = param.grad
            with backend.using_device(param.device):
                twin.grad = None if grad is None else grad.astype(numpy.float32)
        twin._loss_scale = param._loss_scale
        self.__update(twin)
        if twin.array is not None:
            with backend.using_device(param.device):
                param.array[...] = twin.array
            twin.cleargrad()

    def __make_twin(self, param: Parameter, loaded):
        """Create the copy, from a loaded array if rounding that yields the parameter.
        """
        device = param.device
        if param.array is None:
            return self._create_uninitialized_parameter(numpy.float32, device)
        if isinstance(loaded, get_array_types()) and loaded.shape == param.shape:
            loaded = device.send(loaded.astype(numpy.float32, copy=False))
            with backend.using_device(device):
                if (loaded.astype(param.dtype) == param.array).all():
                    return variable.Parameter(loaded)
        with backend.using_device(device):
            return variable.Parameter(param.array.astype(numpy.float32))

    def _for_another(self):
        """Return an unused rule with the same settings for another parameter."""
        rule = copy.copy(self)
        rule.hyperparam = copy.copy(self.hyperparam)
        rule._hookable = _Hookable()
        rule.t, rule._state, rule._fp32_param = 0, None, None
        return rule

    def _create_uninitialized_parameter(self, dtype, device):
        """Return a parameter that has a dtype and a device but no array."""
        twin = variable.Parameter(initializers.Zero(dtype))
        twin.to_device(device)
        return twin

    def update_core(self, param: Variable) -> None:
        """Update the parameter by the method for its device.

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

    def update_core_gpu(self, param: Variable) -> None:
        """Update a parameter that is a CuPy array; to be overridden."""
        raise NotImplementedError

    def update_core_cpu(self, param: Variable) -> None:
        """Update a parameter that is a NumPy array; to be overridden."""
        raise NotImplementedError

    def update_core_chainerx(self, param: Variable) -> None:
        """Update a parameter that is a ChainerX array; may be overridden.

        By default :meth:`update_core_cpu` or :meth:`update_core_gpu` is called with
        NumPy or CuPy arrays that share the memory of the parameter and the states.
        """
        target: Any = param.device
        device = target.fallback_device
        plain = param._plain()
        array = plain.array
        states = self._state or {}
        for name, value in states.items():
            if isinstance(value, target.supported_array_types):
                states[name] = backend.from_chx(value)
        with backend.using_device(device):
            if device.xp is numpy:
                self.update_core_cpu(plain)
            else:
                self.update_core_gpu(plain)
        if plain.array is not array:
            # The memory stays the same, so views of it remain valid.
            moved, plain.array = plain.array, array
            backend.copyto(array, moved)
        for name, value in states.items():
            if isinstance(value, device.supported_array_types):
                states[name] = target.send(value)

    def init_state(self, param: Variable) -> None:
        """Fill ``self.state`` for the parameter; to be overridden by rules with states.

        It is called once before the first update. It is also called with a small dummy
        variable to find the names of the states before they are loaded.

        Parameters
        ----------
        param : Variable
            Variable whose array and device the states must match.
        """

    def add_hook(
            self, hook: Callable[..., Any], name: str | None = None,
            timing: str = 'auto') -> None:
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
            If it has no name, or the timing is not one of the three.
        KeyError
            If there is already a hook of that name.
        """
        self._hookable.add_hook(hook, name=name, timing=timing)

    def remove_hook(self, name: str) -> None:
        """Remove the hook of that name, or raise KeyError if there is none."""
        self._hookable.remove_hook(name)


def _is_float16(param):
    """Return whether a parameter, initialized or not, is known to be float16."""
    try:
        return param.dtype.char == 'e'
    except RuntimeError:
        return False


_Optimizer = TypeVar('_Optimizer', bound='Optimizer')


class Optimizer(_LossScaling, display.Shown):
    """Base class of all optimizers.

    :meth:`setup` binds an optimizer to the link whose parameters it updates. Most
    optimizers need only gradients and derive from :class:`GradientMethod`.

    Attributes
    ----------
    target : Link or None
        The link whose parameters are updated.
    t : int
        Number of updates so far.
    epoch : int
        Number of epochs so far, as :meth:`new_epoch` counts them.
    use_auto_new_epoch : bool
        Whether :meth:`new_epoch` is called by an updater, not by the user.

    Raises
    ------
    NotImplementedError
        When :meth:`update` is called, unless a subclass defines it.

    See Also
    --------
    chainer_fast.optimizers
    chainer_fast.optimizer_hooks

    Examples
    --------
    >>> model = L.Linear(3, 1)
    >>> optimizer = chainer.optimizers.MomentumSGD(lr=0.01).setup(model)
    >>> x, t = np.ones((8, 3), np.float32), np.zeros((8, 1), np.float32)
    >>> loss = F.mean_squared_error(model(x), t)
    >>> for _ in range(10):
    ...     optimizer.update(lambda: F.mean_squared_error(model(x), t))
    >>> optimizer.t, bool(F.mean_squared_error(model(x), t).array < loss.array)
    (10, True)

    Parameters that are not updated:

    >>> model.b.update_rule.enabled = False
    """

    _hookable: Any = None
    # Wrappers of optimizers access these. The hooks are in _hookable, as in Chainer.
    _pre_update_hooks: Any = None
    _post_update_hooks: Any = None

    use_auto_new_epoch = False
    t: int = 0
    epoch: int = 0
    target: Any = None

    def setup(self: _Optimizer, link: Link) -> _Optimizer:
        """Bind the optimizer to a link and restart its counts.

        Parameters
        ----------
        link : Link
            Link whose parameters the optimizer updates.

        Returns
        -------
        Optimizer
            The optimizer itself.

        Raises
        ------
        TypeError
            If ``link`` is not a link.

        Warns
        -----
        UserWarning
            If there are no parameters, or if an attribute whose name does not begin
            with ``_`` holds a link that is not registered; once in each case.
        """
        if not isinstance(link, link_module.Link):
            raise TypeError('optimization target must be a link, not %s' % (
                'the class %s: pass an object, %s()' % (link.__name__, link.__name__)
                if isinstance(link, type) else type(link).__name__) + (
                ': chainer_fast.interop.torch.ModuleLink(module) converts a PyTorch '
                'module to a link' if hasattr(link, 'named_parameters') else ''))
        if type(link) is not Link:      # a placeholder for a model
            _registration.check(link)
        self._hookable = _OptimizerHookable(self)
        self.target, self.t, self.epoch = link, 0, 0
        return self

    def update(
            self, lossfun: Callable[..., Any] | None = None, *args: Any,
            **kwds: Any) -> None:
        """Update the parameters; to be overridden.

        Parameters
        ----------
        lossfun : callable, optional
            Function of the remaining arguments that returns the loss. If it is not
            given, the gradients must have been computed already.
        """
        raise NotImplementedError

    def add_hook(
            self, hook: Callable[..., Any], name: str | None = None,
            timing: str = 'auto') -> None:
        """Register a function to call around each update.

        Parameters
        ----------
        hook : callable
            Called as ``hook(optimizer)``; or, if it has a true attribute
            ``call_for_each_param``, as ``hook(rule, param)`` for each parameter.
        name : str, optional
            Name of the hook; by default its attribute ``name`` or ``__name__``.
        timing : {'auto', 'pre', 'post'}
            When to call it: after the gradients are computed and before the update, or
            after the update. ``'auto'`` reads the attribute ``timing`` of the hook.

        Raises
        ------
        RuntimeError
            If the optimizer is not set up.
        TypeError
            If the hook is not callable.
        ValueError
            If it has no name, or the timing is not one of the three.
        KeyError
            If there is already a hook of that name.
        """
        _hooks_of(self).add_hook(hook, name=name, timing=timing)

    def remove_hook(self, name: str) -> None:
        """Remove the hook of that name, or raise KeyError if there is none."""
        _hooks_of(self).remove_hook(name)

    def call_hooks(self, timing: str = 'pre') -> None:
        """Call the hooks of a timing, in the order in which they were added.

        Parameters
        ----------
        timing : {'pre', 'post'}
            Which hooks.
        """
        for hook in _hooks_of(self).hooks(timing):
            self.call_hook(hook)

    def call_hook(self, hook: Callable[..., Any]) -> None:
        """Call one hook, once or for each parameter, as the hook requires.

        The hook receives gradients without the loss scale. If there is a scale, float16
        parameters that are updated in float32, and their gradients, are replaced by
        float32 copies while the hook runs.
        """
        params = list(self.target.params())
        if _update.of_scaled_loss(params):
            with _loss_scaling.unscaled(params):
                self._hand_to(hook, params)
        else:
            self._hand_to(hook, params)

    def _hand_to(self, hook, params):
        if getattr(hook, 'call_for_each_param', False):
            _update.call_hook(hook, params)
        else:
            hook(self)

    def new_epoch(self, auto: bool = False) -> None:
        """Count one epoch.

        Parameters
        ----------
        auto : bool
            Whether the caller is an updater.

        Raises
        ------
        RuntimeError
            If both an updater and the user call it.
        """
        if auto and not self.use_auto_new_epoch:
            raise RuntimeError(
                'invalid new_epoch call with auto=True.\n'
                'Fix the updater to set optimizer.use_auto_new_epoch = True.')
        if self.use_auto_new_epoch and not auto:
            raise RuntimeError(
                'duplicated new_epoch with the updater.\n'
                'Pass auto_new_epoch=False to the updater or stop calling new_epoch '
                'outside the updater.')
        self.epoch += 1

    @mistakes.explain_serializer
    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the counts, and the rules of all parameters.

        The parameters themselves belong to the link. An optimizer must be set up before
        it is loaded.

        Parameters
        ----------
        serializer : AbstractSerializer
            Serializer or deserializer.
        """
        for name in ('t', 'epoch'):
            setattr(self, name, serializer(name, getattr(self, name)))
        if isinstance(serializer, Deserializer):
            for link in self.target.links():
                link._expect_values()
        ruled = [(path, param) for path, param in self.target.namedparams()
                 if param.update_rule is not None]
        parts = {path: serializer[path] for path, _ in ruled}
        if _states.are_without_counts(parts.values()):
            parts = {path: _states.Counted(part, self.t)
                     for path, part in parts.items()}
        _states.serialize_rules(self.target, ruled, parts)
        self._serialize_loss_scale(serializer)

    def _shown(self):
        return _shown.describe(self)


def _hooks_of(optimizer):
    if optimizer._hookable is None:
        raise RuntimeError('Optimizer is not set up. Call `setup` method.')
    return optimizer._hookable


_Method = TypeVar('_Method', bound='GradientMethod')


class GradientMethod(Optimizer):
    """Base class of optimizers that need only gradients.

    A subclass defines its hyperparameters as attributes (:class:`HyperparameterProxy`)
    and overrides :meth:`create_update_rule`.

    Attributes
    ----------
    hyperparam : Hyperparameter
        Values that the update rules of all parameters share.

    See Also
    --------
    chainer_fast.UpdateRule

    Examples
    --------
    >>> class HalvingRule(chainer.UpdateRule):
    ...     def update_core(self, param):
    ...         param.array -= self.hyperparam.lr * 0.5 ** self.t * param.grad
    >>> class Halving(chainer.GradientMethod):
    ...     lr = chainer.optimizer.HyperparameterProxy('lr')
    ...     def __init__(self, lr):
    ...         super().__init__()
    ...         self.hyperparam.lr = lr
    ...     def create_update_rule(self):
    ...         return HalvingRule(self.hyperparam)
    >>> model = L.Linear(2, 1, nobias=True, initialW=0)
    >>> optimizer = Halving(lr=1).setup(model)
    >>> x = np.array([[1, -2]], np.float32)
    >>> optimizer.update(lambda: F.sum(model(x)))
    >>> model.W.array
    array([[-0.5,  1. ]], dtype=float32)
    """

    _use_cleargrads = True

    def __init__(self) -> None:
        super().__init__()
        self._use_fp32_update = False
        self.hyperparam: Hyperparameter = Hyperparameter()

    def setup(self: _Method, link: Link) -> _Method:
        """Bind the optimizer to a link, and create an update rule for each parameter.

        Parameters
        ----------
        link : Link
            Link whose parameters the optimizer updates.

        Returns
        -------
        GradientMethod
            The optimizer itself.
        """
        # A class of a program may not call the initializer that sets it.
        hyperparam = vars(self).get('hyperparam')
        for name, value in hyperparam.get_dict().items() if hyperparam else ():
            mistakes.require_number(value, '%s of %s' % (name, type(self).__name__))
        super().setup(link)
        for param in link.params():
            rule = param.update_rule = self.create_update_rule()
            if self._use_fp32_update:
                rule.use_fp32_update()
        return self

    def create_update_rule(self) -> UpdateRule:
        """Return a new update rule for one parameter; to be overridden.

        Returns
        -------
        UpdateRule
            The rule.
        """
        raise NotImplementedError

    def update(
            self, lossfun: Callable[..., Any] | None = None, *args: Any,
            **kwds: Any) -> None:
        """Compute gradients if a loss function is given, and update all parameters.

        Parameters
        ----------
        lossfun : callable, optional
            Function that returns the loss as a variable. The gradients are cleared and
            those of the loss are computed. If it is not given, the current gradients
            are used.
        *args, **kwds
            Arguments of ``lossfun``.
        """
        if self.target is None:
            raise AttributeError(
                '%s is not set up: call optimizer.setup(model) before update()'
                % type(self).__name__)
        if lossfun is not None:
            if not callable(lossfun):
                raise TypeError(
                    "'%s' object is not callable: update() takes a function that "
                    'returns the loss; or call model.cleargrads(), loss.backward() and '
                    'optimizer.update()' % type(lossfun).__name__)
            self.__backward(lossfun(*args, **kwds))
        if self.__has_usual_steps():
            self.__update_at_once(lossfun is not None)
        else:
            self.__update_step_by_step(lossfun is not None)
        self.call_hooks('post')
        self.update_loss_scale()

    def __backward(self, loss) -> None:
        target = self.target
        clear = target.cleargrads if self._use_cleargrads else target.zerograds
        clear()
        if not hasattr(loss, 'backward'):
            raise AttributeError(
                'the loss function must return a Variable, not %s.%s' % (
                    type(loss).__module__, type(loss).__name__))
        loss.backward(loss_scale=self._loss_scale)

    def __warn_without_gradients(self, params, has_lossfun):
        # An update after cleargrads() may have to initialize the states only.
        if self.t or has_lossfun:
            _registration.warn_without_gradients(self.target, params)

    def __update_step_by_step(self, has_lossfun):
        """Call the steps of an update, any of which a subclass may override."""
        params = list(self.target.params())
        if _update.has_cleared_grad(params):
            self.__warn_without_gradients(params, has_lossfun)
        self.reallocate_cleared_grads()
        self.check_nan_in_grads()
        self.call_hooks('pre')
        params = list(self.target.params())
        # With a loss function gradients were cleared: their NaN is that of the loss.
        if not self.t and not has_lossfun:
            _registration.warn_of_unset_gradients(self.target, params)
        self.t += 1
        if self.is_safe_to_update():
            _update.update_params(params)
        self.reallocate_cleared_grads()

    def __update_at_once(self, has_lossfun):
        """Visit the parameters once for all steps: no user code runs in between."""
        has_hooks = bool(self._hookable._pre_update_hooks)
        hooks = None
        params = list(self.target.params())
        if _update.has_cleared_grad(params):
            self.__warn_without_gradients(params, has_lossfun)
            _fill_cleared_grads(params)
        self.check_nan_in_grads()
        if has_hooks:
            if self.is_safe_to_update():
                hooks = self.__call_hooks_but_last(params) or None
            else:
                self.call_hooks('pre')
            params = list(self.target.params())
        # With a loss function gradients were cleared: their NaN is that of the loss.
        if not self.t and not has_lossfun:
            _registration.warn_of_unset_gradients(self.target, params)
        self.t += 1
        are_plain = not self.is_safe_to_update() or _update.update_params(params, hooks)
        if has_hooks or not are_plain:
            self.reallocate_cleared_grads()

    def __call_hooks_but_last(self, params) -> list[Any]:
        """Call hooks before an update, but not the last ones that can be part of it.

        Parameters
        ----------
        params : list of Parameter
            Parameters of the target.

        Returns
        -------
        list
            Hooks that have not been called.
        """
        hooks = list(self._hookable.hooks('pre'))
        rest = len(hooks)
        while rest and _update.has_recipe(hooks[rest - 1]):
            rest -= 1
        # If no gradient has a loss scale now, none will have one later.
        is_scaled = rest and _update.of_scaled_loss(params)
        for hook in hooks[:rest]:
            if is_scaled:
                self.call_hook(hook)
            else:
                self._hand_to(hook, self.target.params())
                self.reallocate_cleared_grads()
        return hooks[rest:]

    def __has_usual_steps(self):
        """Return whether neither optimizer nor link overrides a step of the update."""
        return _PARAMS.held_by(self.target) and _USUAL_STEPS.held_by(self)

    def reallocate_cleared_grads(self) -> None:
        """Set the cleared gradients of initialized parameters to zeros."""
        target = self.target
        if _PARAMS.held_by(target):
            _fill_cleared_grads(list(target.params()))
        else:
            _fill_cleared_grads([param for _, param in target.namedparams(False)])

    def call_hook(self, hook: Callable[..., Any]) -> None:
        """Call one hook, and replace the gradients that it has cleared by zeros."""
        super().call_hook(hook)
        self.reallocate_cleared_grads()

    def use_fp32_update(self, flag: bool = True) -> None:
        """Choose whether float16 parameters are updated in float32.

        Parameters
        ----------
        flag : bool
            Whether to update them in float32. False does not affect existing rules.
        """
        self._use_fp32_update = flag
        if not flag or self.target is None:
            return
        for param in self.target.params():
            if param.update_rule is not None:
                param.update_rule.use_fp32_update()

    def use_cleargrads(self, use: bool = True) -> None:
        """Choose how :meth:`update` clears gradients.

        .. deprecated:: v2.0
            Clearing by :meth:`Link.cleargrads` is the default and the fastest.

        Parameters
        ----------
        use : bool
            If False, gradients are filled with zeros instead.
        """
        warnings.warn(
            'GradientMethod.use_cleargrads is deprecated.', DeprecationWarning)
        self._use_cleargrads = use


_PARAMS = _Methods(Link, ['params'])
_USUAL_STEPS = _Methods(GradientMethod, [
    'reallocate_cleared_grads', 'check_nan_in_grads', 'is_safe_to_update',
    'call_hooks', 'call_hook'])


def _fill_cleared_grads(params):
    """Set gradients that are None to zeros, except for uninitialized parameters."""
    if not _update.has_cleared_grad(params):
        return
    for param in params:
        if param.is_initialized and param.grad is None:
            device = param.device
            with backend.using_device(device):
                param.grad = device.xp.zeros_like(param.array)


class GradientClipping(_moved.MovedHook, optimizer_hooks.GradientClipping):
    """Old place of :class:`chainer_fast.optimizer_hooks.GradientClipping`."""


class GradientHardClipping(_moved.MovedHook, optimizer_hooks.GradientHardClipping):
    """Old place of :class:`chainer_fast.optimizer_hooks.GradientHardClipping`."""


class GradientNoise(_moved.MovedHook, optimizer_hooks.GradientNoise):
    """Old place of :class:`chainer_fast.optimizer_hooks.GradientNoise`."""


class Lasso(_moved.MovedHook, optimizer_hooks.Lasso):
    """Old place of :class:`chainer_fast.optimizer_hooks.Lasso`."""


class WeightDecay(_moved.MovedHook, optimizer_hooks.WeightDecay):
    """Old place of :class:`chainer_fast.optimizer_hooks.WeightDecay`."""


_update.bind(
    parameter=variable.Parameter, rule=UpdateRule, hyperparameter=Hyperparameter,
    hookable=_Hookable, unscaled=_loss_scaling.unscaled, scale=recipes.scale,
    unscale=recipes.unscale)
_update.bind_devices(
    batch=update_kernels.Batch, make_kernel=update_kernels.make_kernel)
