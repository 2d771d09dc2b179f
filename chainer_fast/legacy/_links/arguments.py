"""Removed arguments of links: ``wscale``, ``bias``, ``use_cudnn`` and others."""
import functools
import math

from chainer_fast import initializers, links
from chainer_fast._help.past.removed import forms
from chainer_fast.backends.arrays import get_array_types
from chainer_fast.legacy import _named, _old_calls, _report
from chainer_fast.legacy._engine.initializers import Scaled
from chainer_fast.legacy._links import first_weights

_FLAGS = ('use_cudnn', 'deterministic')
_NO_BIAS = 'chainer.links.ConvolutionND without a bias'


def _scaled(initializer, scale):
    """Return an initializer with the scaled result of another specification."""
    if scale == 1:
        return initializer
    if isinstance(initializer, get_array_types()):
        return initializer * scale
    return Scaled(initializers._get_initializer(initializer), scale)


def _weights(arguments):
    """Replace ``wscale`` and ``bias`` by current initializers."""
    # The weights were scaled by the square root.
    scale = math.sqrt(arguments.pop('wscale', 1))
    arguments['initialW'] = _scaled(arguments.get('initialW'), scale)
    _bias(arguments)


def _bias(arguments):
    bias = arguments.pop('bias', None)
    if arguments.get('initial_bias') is None and bias is not None:
        arguments['initial_bias'] = bias


def _filters(arguments):
    scale = math.sqrt(arguments.pop('wscale', 1))
    arguments['conv_init'] = _scaled(arguments.get('conv_init'), scale)


def _optional_bias(arguments):
    """Create a bias only if it is initialized, as links of N dimensions did."""
    arguments['nobias'] = arguments.get('initial_bias') is None
    # If filters are given, the call is reported because of its order.
    if arguments.keys().isdisjoint(('initialW', 'initial_bias')):
        _report.adapted(_NO_BIAS)


def _bias_of_zeros(arguments):
    arguments['nobias'] = arguments.setdefault('initial_bias', 0) is None


_CHANGES = {
    'Linear': _weights, 'Convolution2D': _weights, 'Deconvolution2D': _weights,
    'DilatedConvolution2D': _weights, 'MLPConvolution2D': _filters,
    'Maxout': _weights, 'ConvolutionND': _optional_bias,
    'DeconvolutionND': _bias_of_zeros,
}


def _in_turn(*changes):
    def change(arguments):
        for each in changes:
            each(arguments)
    return change


def adapt_method(patches, name, method, old, named, change=None):
    """Let a method of a link accept calls of Chainer 1.24, too."""
    cls = getattr(links, name)
    today = getattr(cls, method)
    what = 'chainer.links.' + name + {
        '__init__': '', 'forward': '.__call__'}.get(method, '.' + method)
    form = _old_calls.OldForm(what, 'self ' + old, today, named)
    # Links had these as attributes, which programs pass to functions.
    kept = _FLAGS if method == '__init__' else ()
    patches.set(cls, method, _old_calls.adapt(form, today, change, kept))


def _without_bias(patches):
    """Create no bias in a convolution of N dimensions unless it is initialized."""
    today = links.ConvolutionND.__init__

    @functools.wraps(today)
    def __init__(self, *args, **kwargs):
        # initialW and initial_bias follow nobias.
        if len(args) < 7 and kwargs.keys().isdisjoint(('nobias', 'initial_bias')):
            _report.adapted(_NO_BIAS)
            kwargs['nobias'] = True
        today(self, *args, **kwargs)
    patches.set(links.ConvolutionND, '__init__', __init__)


def install(patches):
    """Accept the arguments of constructors in Chainer 1."""
    named = 'v1' in patches.named
    changes = dict(_CHANGES)
    if named:
        _without_bias(patches)
    if _named.is_named(patches, 'v1.8'):
        first_weights.install(patches)
        for name, change in first_weights.CHANGES.items():
            changes[name] = _in_turn(change, _bias)
    for name, old in forms.LINKS.items():
        adapt_method(patches, name, '__init__', old, named, changes.get(name))
