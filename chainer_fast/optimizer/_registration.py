"""Warnings about links and parameters that an optimizer will not update."""
from __future__ import annotations

import numpy

from chainer_fast._help import mistakes
from chainer_fast.configuration import config


def check(root):
    """Warn, once for each place, about links that a model holds but has not registered.

    Parameters
    ----------
    root : chainer_fast.Link
        The link that an optimizer is set up with.
    """
    registered = {id(link) for link in root.links()}
    for path, link in root.namedlinks():
        for name, value in vars(link).items():
            if not name.startswith('_'):
                _check_attribute(
                    type(root).__name__ + path.replace('/', '.').rstrip('.'),
                    name, value, registered)
    if not any(True for _ in root.params()):
        mistakes.warn_once((type(root), None), (
            '%s has no parameters to update: assign links and parameters inside of '
            '`with self.init_scope():`' % type(root).__name__))


def _check_attribute(owner, name, value, registered):
    values = value if isinstance(value, (list, tuple)) else (value,)
    for each in values:
        is_link = hasattr(each, 'namedlinks') and not isinstance(each, type)
        if is_link and id(each) not in registered:
            cure = 'assign it inside of `with self.init_scope():`'
            if each is not value:
                cure = 'replace the %s by a chainer.ChainList, and %s' % (
                    type(value).__name__, cure)
            mistakes.warn_once((owner, name), (
                '%s.%s holds a %s that is not registered, so the optimizer does not '
                'update it: %s' % (owner, name, type(each).__name__, cure)))
            return


def warn_without_gradients(target, params):
    """Warn, once for each class, if no parameter has a gradient before an update.

    Parameters
    ----------
    target : chainer_fast.Link
        The link that is updated.
    params : list of chainer_fast.Parameter
        Its parameters.
    """
    for param in params:
        if not param.is_initialized:
            return      # the link has not been called, or only in part
        if param.grad is not None:
            return
    mistakes.warn_once((type(target), 'gradients'), (
        'no parameter of %s has received a gradient, so the update has no effect '
        'except that of its hooks: %s' % (type(target).__name__, _cure())))


def warn_of_unset_gradients(target, params):
    """Warn, once for each class, if all gradients are NaN, as those of new parameters.

    Parameters
    ----------
    target : chainer_fast.Link
        The link, before its first update.
    params : list of chainer_fast.Parameter
        Its parameters. Those on a GPU are ignored, since the check would have to wait
        for the GPU.
    """
    found = False
    for param in params:
        grad = param.grad if param.is_initialized else None
        if type(grad) is not numpy.ndarray or not numpy.isnan(grad).all():
            return
        found = found or grad.size > 0
    if found:
        mistakes.warn_once((type(target), 'gradients'), (
            'all gradients of %s are NaN before its first update. If the loss is not '
            'NaN, no parameter has received a gradient, or it was added to the NaN of '
            'a new model: call model.cleargrads() before loss.backward(), and %s'
            % (type(target).__name__, _cure())))


def _cure():
    if config.enable_backprop:
        return ('call loss.backward() before update(), on a loss that was computed '
                'outside of chainer.no_backprop_mode(), and by functions of variables '
                'from the parameters to the loss: y.array has no graph')
    return ('backpropagation is switched off: move the loss and the update out of '
            'chainer.no_backprop_mode()')
