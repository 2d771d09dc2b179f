"""Hooks that replace a weight during the computation of a link."""
from __future__ import annotations

from typing import Any, NoReturn

from chainer_fast import link_hook, variable
from chainer_fast.configuration import using_config
from chainer_fast.function import no_backprop_mode
from chainer_fast.initializers import constant
from chainer_fast.link import Link
from chainer_fast.links.connection import deconvolution_2d, deconvolution_nd
from chainer_fast.variable import Variable

_OUTPUTS_SECOND = deconvolution_2d.Deconvolution2D, deconvolution_nd.DeconvolutionND


def axis_of_outputs(link):
    """Return the axis of the outputs of a link in its weight."""
    return 1 if isinstance(link, _OUTPUTS_SECOND) else 0


def _dtype_of(weight):
    """Return the dtype of a weight, None if that is not known yet."""
    if weight.array is not None:
        return weight.dtype
    return getattr(weight.initializer, 'dtype', None)


class WeightHook(link_hook.LinkHook):
    """Base of hooks that replace the weight of a link during its call.

    A hook belongs to one link. Outside of calls, the weight is the parameter.

    Parameters
    ----------
    weight_name : str
        Name of the attribute of the link that is the weight.
    name : str or None
        Name of the hook; that of the class if None.

    Attributes
    ----------
    weight_name : str
        As given.
    original_weight : chainer_fast.Variable
        The weight that the hook replaced at the last call.
    """

    original_weight: Variable

    # The replacement during the computation, and whether it replaced the weight itself.
    _substitute = None
    _puts_back = True

    def __init__(self, weight_name: str, name: str | None) -> None:
        self.weight_name = weight_name
        if name is not None:
            self.name = name

    def __enter__(self) -> NoReturn:
        raise NotImplementedError(
            '%s applies to a weight of one link: use link.add_hook() instead of a with '
            'statement' % type(self).__name__)

    def __exit__(self, *exc_info: object) -> None:
        raise NotImplementedError(
            '%s cannot be used in a with statement' % type(self).__name__)

    def _is_prepared(self, link):
        """Return whether the link has the values that :meth:`_prepare` adds."""
        return True

    def _prepare(self, link):
        """Add to the link the values that depend on the known shape of the weight."""

    def _add_parameter(self, link, name):
        """Add a parameter to the link, which gets its value later."""
        weight = getattr(link, self.weight_name)
        parameter = variable.Parameter(constant.NaN(_dtype_of(weight)))
        parameter.to_device(link.device)
        # The value that it gets later brings no gradient.
        parameter.cleargrad()
        # An optimizer that updates the weight updates the parameter as well.
        rule = getattr(weight, 'update_rule', None)
        if rule is not None:
            parameter.update_rule = rule._for_another()
        with link.init_scope():
            setattr(link, name, parameter)

    def _compute(self, link):
        """Return the replacement of the weight."""
        raise NotImplementedError('%s must define _compute()' % type(self).__name__)

    def added(self, link: Link | None) -> None:
        """Prepare the hook if the weight is initialized; see the base class."""
        if not hasattr(link, self.weight_name):
            raise ValueError(
                'the hook needs a weight %r, but %s has no such attribute' % (
                    self.weight_name, type(link).__name__))
        if getattr(link, self.weight_name).array is not None:
            self._prepare(link)

    def forward_preprocess(self, cb_args: Any) -> None:
        """Replace the weight; see the base class."""
        link = cb_args.link
        if getattr(link, self.weight_name).array is None:
            # The call of the link initializes the weight.
            with no_backprop_mode(), using_config('train', False):
                link.forward(*cb_args.args, **cb_args.kwargs)
        if not self._is_prepared(link):
            self._prepare(link)
        weight = self.original_weight = getattr(link, self.weight_name)
        # Another hook removes its own replacement.
        self._puts_back = all(
            getattr(hook, '_substitute', None) is not weight
            for hook in link.local_link_hooks.values())
        self._substitute = self._compute(link)
        setattr(link, self.weight_name, self._substitute)

    def forward_postprocess(self, cb_args: Any) -> None:
        """Restore the weight; see the base class."""
        self._substitute = None
        if self._puts_back:
            setattr(cb_args.link, self.weight_name, self.original_weight)

    _forward_failed = forward_postprocess
