"""Optimizers: what moves all parameters of a link along their gradients."""
import warnings

from chainer_fast import backend, optimizer_hooks, variable
from chainer_fast import link as link_module
from chainer_fast._core import gradients as _gradients
from chainer_fast._core import update as _update
from chainer_fast._hookable import _Hookable, _OptimizerHookable
from chainer_fast._hyperparameter import (  # noqa: F401
    Hyperparameter,
    HyperparameterProxy,
)
from chainer_fast._loss_scaling import _LossScaling
from chainer_fast._update_rule import UpdateRule
from chainer_fast.backends.kernels.update_rules.hooks import ScaleRecipe, UnscaleRecipe

_gradients.bind(
    parameter=variable.Parameter, scale=ScaleRecipe(), unscale=UnscaleRecipe())
_update.bind(
    parameter=variable.Parameter, rule=UpdateRule, hyperparameter=Hyperparameter,
    hookable=_Hookable)


class Optimizer(_LossScaling):
    """Base class of all optimizers.

    An optimizer is bound to the link whose parameters it updates by :meth:`setup`.
    Most optimizers need gradients alone and derive from :class:`GradientMethod`.

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
    """

    _hookable = None

    use_auto_new_epoch = False
    t = 0
    epoch = 0
    target = None

    def setup(self, link):
        """Bind the optimizer to a link and restart its counts.

        Parameters
        ----------
        link : Link
            Link whose parameters are to be updated.

        Returns
        -------
        Optimizer
            The optimizer itself.
        """
        if not isinstance(link, link_module.Link):
            raise TypeError(
                'optimization target must be a link, not %s' % type(link).__name__)
        self._hookable = _OptimizerHookable(self)
        self.target, self.t, self.epoch = link, 0, 0
        return self

    def update(self, lossfun=None, *args, **kwds):
        """Update the parameters; to be overridden.

        Parameters
        ----------
        lossfun : callable, optional
            Function of the further arguments that returns the loss.  Without it the
            gradients have to be there already.
        """
        raise NotImplementedError

    def add_hook(self, hook, name=None, timing='auto'):
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
            after the update.  ``'auto'`` reads the attribute ``timing`` of the hook.

        Raises
        ------
        RuntimeError
            If the optimizer is not set up.
        TypeError
            If the hook is not callable.
        ValueError
            If it has no name, or the timing is none of the three.
        KeyError
            If the name is taken.
        """
        _hooks_of(self).add_hook(hook, name=name, timing=timing)

    def remove_hook(self, name):
        """Take out the hook of that name; KeyError if there is none."""
        _hooks_of(self).remove_hook(name)

    def call_hooks(self, timing='pre'):
        """Call the hooks of a timing, in the order in which they were added.

        Parameters
        ----------
        timing : {'pre', 'post'}
        """
        for hook in _hooks_of(self).hooks(timing):
            self.call_hook(hook)

    def call_hook(self, hook):
        """Call one hook, once or for each parameter as it wishes."""
        if not getattr(hook, 'call_for_each_param', False):
            hook(self)
            return
        _gradients.call_hook(hook, self.target.params())

    def new_epoch(self, auto=False):
        """Count one epoch.

        Parameters
        ----------
        auto : bool
            Whether it is an updater that calls.

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

    def serialize(self, serializer):
        """Save or load the counts, and the rules of all parameters.

        The parameters themselves belong to the link.  An optimizer has to be set up
        before it is loaded.

        Parameters
        ----------
        serializer : AbstractSerializer
        """
        for name in ('t', 'epoch'):
            setattr(self, name, serializer(name, getattr(self, name)))
        for path, param in self.target.namedparams():
            rule = param.update_rule
            if rule is not None:
                rule.serialize(serializer[path])
                rule._check_states(param, path)


def _hooks_of(optimizer):
    if optimizer._hookable is None:
        raise RuntimeError('Optimizer is not set up. Call `setup` method.')
    return optimizer._hookable


class GradientMethod(Optimizer):
    """Base class of optimizers that need nothing but gradients.

    A subclass has the hyperparameters as attributes (:class:`HyperparameterProxy`) and
    overrides :meth:`create_update_rule`.

    Attributes
    ----------
    hyperparam : Hyperparameter
        Values that the update rules of all parameters share.
    """

    _use_cleargrads = True

    def __init__(self):
        super().__init__()
        self._use_fp32_update = False
        self.hyperparam = Hyperparameter()

    def setup(self, link):
        """Bind the optimizer to a link, and give each parameter an update rule.

        Parameters
        ----------
        link : Link
            Link whose parameters are to be updated.

        Returns
        -------
        GradientMethod
            The optimizer itself.
        """
        super().setup(link)
        for param in link.params():
            rule = param.update_rule = self.create_update_rule()
            if self._use_fp32_update:
                rule.use_fp32_update()
        return self

    def create_update_rule(self):
        """Return a new update rule for one parameter; to be overridden.

        Returns
        -------
        UpdateRule
        """
        raise NotImplementedError

    def update(self, lossfun=None, *args, **kwds):
        """Compute gradients if a loss function is given, and update all parameters.

        Parameters
        ----------
        lossfun : callable, optional
            Function that returns the loss as a variable.  The old gradients are
            cleared and those of the loss computed.  Without it the gradients are taken
            as they are.
        *args, **kwds
            Arguments of ``lossfun``.
        """
        if lossfun is not None:
            self.__backward(lossfun(*args, **kwds))
        # Where no code of a user can come between the steps, one walk over the
        # parameters serves them all.
        short = not self._hookable._pre_update_hooks and self.__has_usual_steps()
        if short:
            params = list(self.target.params())
            _fill_cleared_grads(params)
            self.check_nan_in_grads()
        else:
            self.reallocate_cleared_grads()
            self.check_nan_in_grads()
            self.call_hooks('pre')
            params = self.target.params()
        self.t += 1
        if self.is_safe_to_update():
            short = _update.update_params(params) and short
        if not short:
            self.reallocate_cleared_grads()
        self.call_hooks('post')
        self.update_loss_scale()

    def __backward(self, loss):
        target = self.target
        clear = target.cleargrads if self._use_cleargrads else target.zerograds
        clear()
        loss.backward(loss_scale=self._loss_scale)

    def __has_usual_steps(self):
        """Whether neither the optimizer nor the link has a way of its own."""
        own, cls, link = vars(self), type(self), type(self.target)
        return link.params is link_module.Link.params and all(
            getattr(cls, name) is method and name not in own
            for name, method in _USUAL_STEPS)

    def reallocate_cleared_grads(self):
        """Set the cleared gradients of initialized parameters to zeros."""
        target = self.target
        if type(target).params is link_module.Link.params:
            _fill_cleared_grads(list(target.params()))
        else:
            _fill_cleared_grads([param for _, param in target.namedparams(False)])

    def call_hook(self, hook):
        """Call one hook, and make up for the gradients that it has cleared."""
        super().call_hook(hook)
        self.reallocate_cleared_grads()

    def use_fp32_update(self, flag=True):
        """Choose whether float16 parameters are updated in float32.

        Parameters
        ----------
        flag : bool
            Switching it off does not reach the rules that exist already.
        """
        self._use_fp32_update = flag
        if not flag or self.target is None:
            return
        for param in self.target.params():
            if param.update_rule is not None:
                param.update_rule.use_fp32_update()

    def use_cleargrads(self, use=True):
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


_USUAL_STEPS = tuple([(name, getattr(GradientMethod, name)) for name in (
    'reallocate_cleared_grads', 'check_nan_in_grads', 'call_hooks')])


def _fill_cleared_grads(params):
    """Set gradients that are None to zeros, but for uninitialized parameters."""
    if not _gradients.has_cleared_grad(params):
        return
    for param in params:
        if param.is_initialized and param.grad is None:
            device = param.device
            with backend.using_device(device):
                param.grad = device.xp.zeros_like(param.array)


def make_deprecation_message(module_name):
    """Return the warning of a hook that has moved to ``optimizer_hooks``."""
    return (
        'chainer.optimizer.%s is deprecated from v4. '
        'Use chainer.optimizer_hooks.%s instead.' % (module_name, module_name))


def _moved_hook(name):
    """Make a subclass of a hook that warns of its old place."""
    hook = getattr(optimizer_hooks, name)

    def __init__(self, *args, **kwargs):
        warnings.warn(make_deprecation_message(name), DeprecationWarning)
        hook.__init__(self, *args, **kwargs)

    moved = type(name, (hook,), {
        '__init__': __init__, '__module__': __name__,
        '__doc__': 'Old place of :class:`chainer_fast.optimizer_hooks.%s`.' % name})
    if hasattr(hook, '_recipe'):
        _gradients.register_hook(moved, type(hook._recipe)())
    return moved


GradientClipping = _moved_hook('GradientClipping')
GradientHardClipping = _moved_hook('GradientHardClipping')
GradientNoise = _moved_hook('GradientNoise')
Lasso = _moved_hook('Lasso')
WeightDecay = _moved_hook('WeightDecay')
