"""Optimizers that average gradients over all processes."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from chainer_fast.mn.optimizers import _background
from chainer_fast.optimizer import Optimizer
from chainer_fast.mn.communicators.communicator_base import CommunicatorBase

def _parameters(link):
    """Return paths of parameters, and whether each is initialized."""
    return [(path, param.is_initialized) for path, param in sorted(link.namedparams())]


def _parameters_and_devices(link):
    return [(path, param.is_initialized, param.device)
            for path, param in sorted(link.namedparams())]


_Wrapped = TypeVar('_Wrapped', bound='_Wrapper')


class _Wrapper:
    """Optimizer that wraps another one and has its attributes.

    Attributes are set on the other one, unless :meth:`_own` sets them.
    """

    def __init__(
            self, actual_optimizer: Optimizer, communicator: CommunicatorBase,
            zero_fill: bool) -> None:
        self._own('communicator', communicator)
        self._own('actual_optimizer', actual_optimizer)
        self._own('zero_fill', zero_fill)
        self._own('target_params', [])

    def _own(self, name, value):
        self.__dict__[name] = value

    def __getattr__(self, attr_name: str) -> Any:
        # Copies and pickles read attributes before any are set.
        if 'actual_optimizer' not in self.__dict__:
            raise AttributeError(attr_name)
        return getattr(self.actual_optimizer, attr_name)

    def __setattr__(self, attr_name: str, value: Any) -> None:
        setattr(self.actual_optimizer, attr_name, value)

    def setup(self: _Wrapped, link: Any) -> _Wrapped:
        """Bind the actual optimizer to a link.

        The parameters of another link are broadcast in the next :meth:`update`.

        Returns
        -------
        object
            The optimizer itself.
        """
        if link is not self.actual_optimizer.target:
            self._own('target_params', [])
        self.actual_optimizer.setup(link)
        return self

    def _backward(self, lossfun, args, kwds):
        loss = lossfun(*args, **kwds)
        optimizer = self.actual_optimizer
        if getattr(optimizer, '_use_cleargrads', True):
            optimizer.target.cleargrads()
        else:
            optimizer.target.zerograds()
        loss.backward(loss_scale=optimizer._loss_scale)


class _MultiNodeOptimizer(_Wrapper):
    """Optimizer that replaces gradients by their means before it updates."""

    def update(
            self, lossfun: Callable[..., Any] | None = None, *args: Any,
            **kwds: Any) -> None:
        """Compute gradients, average them over all processes and update parameters.

        The first call, and the first one after the model's parameters were replaced,
        broadcasts the parameters of the first process instead.

        Parameters
        ----------
        lossfun : callable, optional
            Function that returns the loss. Without it, the present gradients are
            used.
        *args, **kwds
            Arguments of ``lossfun``.
        """
        if lossfun is not None:
            self._backward(lossfun, args, kwds)
        target = self.target
        if self.is_changed(target):
            self.communicator.bcast_data(target)
        else:
            self.communicator.multi_node_mean_grad(target, self.zero_fill)
            self.actual_optimizer.update(None, *args, **kwds)

    def _skip_broadcast(self):
        """Skip the broadcast: all processes have loaded the same parameters."""
        self._own('target_params', _parameters(self.target))

    def is_changed(self, target) -> bool:
        """Return whether the parameters differ from those of the last call."""
        previous = self.target_params
        self._own('target_params', _parameters(target))
        return previous != self.target_params


class _DoubleBufferingOptimizer(_Wrapper):
    """Optimizer that averages gradients while the next ones are computed."""

    def __init__(
            self, actual_optimizer: Optimizer, communicator: CommunicatorBase,
            zero_fill: bool) -> None:
        super().__init__(actual_optimizer, communicator, zero_fill)
        self._own('_means', _background.make(communicator))
        self._own('needs_update', False)
        self._own('communicated_target', None)

    def update(
            self, lossfun: Callable[..., Any] | None = None, *args: Any,
            **kwds: Any) -> None:
        """Compute gradients, start averaging them, and update with the previous
        ones.

        Each update uses the gradients of the previous call, which have been averaged in
        the meantime. The first call broadcasts the parameters of the first process, and
        the second one only starts averaging.

        Parameters
        ----------
        lossfun : callable, optional
            Function that returns the loss. Without it, the present gradients are
            used.
        *args, **kwds
            Arguments of ``lossfun``.
        """
        if lossfun is not None:
            self._backward(lossfun, args, kwds)
        self.wait()
        target = self.target
        if self.is_changed(target, self.target_params):
            self._means.check(target)
            self._own('target_params', _parameters_and_devices(target))
            self.communicator.bcast_data(target)
            self._own('communicated_target', _background.second_buffer(target))
            self._own('needs_update', False)
            return
        self.swap_grad(sorted(target.namedparams()),
                       sorted(self.communicated_target.namedparams()))
        self.multi_node_mean_grad_async()
        if self.needs_update:
            self.actual_optimizer.update(None, *args, **kwds)
        else:
            self._own('needs_update', True)

    def multi_node_mean_grad_async(self) -> None:
        """Start averaging the gradients in the second buffer."""
        self._means.start(self.communicated_target, self.zero_fill)

    def wait(self) -> None:
        """Wait until the gradients of the last call are averaged.

        An error of the communication is raised here.
        """
        self._means.wait()

    def is_changed(self, target, previous_params) -> bool:
        """Return whether the link has other parameters than listed before."""
        return previous_params != _parameters_and_devices(target)

    def swap_grad(self, target1_params, target2_params) -> None:
        """Exchange the gradients of two lists of parameters.

        Parameters
        ----------
        target1_params, target2_params : list of tuple of str and Parameter
            Paths and parameters.
        """
        for (_, one), (_, other) in zip(target1_params, target2_params, strict=True):
            if one.is_initialized:
                one.grad, other.grad = other.grad, one.grad
                one._loss_scale, other._loss_scale = other._loss_scale, one._loss_scale


def create_multi_node_optimizer(
        actual_optimizer: Optimizer, communicator: CommunicatorBase,
        double_buffering: bool = False, zero_fill: bool = True) -> Any:
    """Return an optimizer that averages gradients over all processes.

    It has the attributes and hooks of the wrapped optimizer.

    Parameters
    ----------
    actual_optimizer : Optimizer
        The optimizer.
    communicator : CommunicatorBase
        The processes.
    double_buffering : bool
        Whether gradients are averaged while the next ones are computed. Each update
        then uses the gradients of the previous iteration, which may change the results
        of training. The model must be on the CPU, or the communicator must be
        ``'pure_nccl'``.
    zero_fill : bool
        Whether a process without the gradient of a parameter participates with zeros.
        Otherwise such parameters are skipped, and must lack gradients on all
        processes.

    Returns
    -------
    object
        Optimizer with the methods ``setup`` and ``update``. The first update, and the
        first one after the model's parameters were replaced, only broadcast the
        parameters of the first process.

    Raises
    ------
    ValueError
        If the communicator cannot work in the background.

    Examples
    --------
    ::

        optimizer = chainermn.create_multi_node_optimizer(
            chainer.optimizers.Adam(), comm)
        optimizer.setup(model)
    """
    cls = _DoubleBufferingOptimizer if double_buffering else _MultiNodeOptimizer
    return cls(actual_optimizer, communicator, zero_fill)
