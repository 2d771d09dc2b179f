"""Attributes that were assignable up to version 5, and renamed attributes."""
import inspect

from chainer_fast import links, training
from chainer_fast.legacy import _frames, _report
from chainer_fast.link import Link
from chainer_fast.optimizer import Optimizer, UpdateRule
from chainer_fast.training import triggers

_OWN = 'attributes of a program that have a meaning today'

# Properties that were added after version 5, so programs may define attributes with
# these names. This package itself ignores those.
_PROPERTIES = {
    Link: ('device', 'local_link_hooks', 'printable_specs', 'update_enabled'),
    training.StandardUpdater: ('input_device',),
    training.Trainer: ('is_before_training',),
    **{getattr(links, name): ('functions',) for name in (
        'GoogLeNet', 'VGG16Layers', 'VGG19Layers', 'ResNet50Layers',
        'ResNet101Layers', 'ResNet152Layers')},
}
# Attributes of links in version 1, and the values without a special meaning.
_OF_CUDNN = ('BatchNormalization', 'Convolution2D', 'ConvolutionND', 'Deconvolution2D',
             'DeconvolutionND', 'DilatedConvolution2D', 'NStepBiGRU', 'NStepBiLSTM',
             'NStepGRU', 'NStepLSTM')
_DEFAULTS = {
    **{(name, 'use_cudnn'): True for name in _OF_CUDNN},
    ('Convolution2D', 'deterministic'): False,
    ('Deconvolution2D', 'deterministic'): False,
    ('InceptionBN', 'train'): True, ('StatefulZoneoutLSTM', 'train'): True,
}


def _own_or_todays(name, today):
    """Return a property that returns to a program the value that it has set itself."""
    def get(self):
        if name in self.__dict__ and _frames.is_called_by_program():
            return self.__dict__[name]
        return today.__get__(self, type(self))

    def put(self, value):
        _report.adapted(_OWN)
        self.__dict__[name] = value

    def delete(self):
        try:
            del self.__dict__[name]
        except KeyError:
            raise AttributeError('%r object has no attribute %r that can be deleted'
                                 % (type(self).__name__, name)) from None
    return property(get, put, delete, doc=today.__doc__)


class _Default:
    """Returns a default until the object has its own value."""

    def __init__(self, what, value):
        self._what, self._value = what, value

    def __get__(self, owner, cls=None):
        if owner is not None:
            _report.adapted(self._what)
        return self._value


def _hooks(what, name):
    """Return a property of the hooks of an optimizer or of a rule, by name."""
    def get(self):
        if self._hookable is None:
            raise AttributeError('%r object has no hooks before setup()'
                                 % type(self).__name__)
        _report.adapted(what)
        return getattr(self._hookable, name)

    def put(self, hooks):
        hooks, known = dict(hooks), get(self)
        known.clear()
        known.update(hooks)
    return property(get, put)


def _renamed(what, today):
    """Return a property for an attribute that has been renamed."""
    def get(self):
        _report.adapted(what)
        return getattr(self, today)

    def put(self, value):
        _report.adapted(what)
        setattr(self, today, value)
    return property(get, put)


def _default_name(today):
    """Set the name of an extension, which functions had as an attribute."""
    def get(self):
        return self.__dict__.get('default_name') or today.__get__(self, type(self))

    def put(self, name):
        self.__dict__['default_name'] = name
    return property(get, put, doc=today.__doc__)


def install(patches):
    """Bring them back."""
    for cls, names in _PROPERTIES.items():
        for name in names:
            patches.set(cls, name, _own_or_todays(
                name, inspect.getattr_static(cls, name)))
    for owner in Optimizer, UpdateRule:
        for name, today in (('_hooks', '_pre_update_hooks'),
                            ('_pre_update_hooks', '_pre_update_hooks'),
                            ('_post_update_hooks', '_post_update_hooks')):
            what = 'chainer.%s.%s' % (owner.__name__, name)
            patches.set(owner, name, _hooks(what, today))
    for what, cls, name, today in (
            ('chainer.training.triggers.EarlyStoppingTrigger.patients',
             triggers.EarlyStoppingTrigger, 'patients', 'patience'),
            ('chainer.Optimizer._call_hook', Optimizer, '_call_hook', 'call_hook')):
        patches.set(cls, name, _renamed(what, today))
    extension = training.Extension
    patches.set(extension, 'default_name', _default_name(
        vars(extension)['default_name']))
    if 'v1' in patches.parts:
        for (name, attribute), value in _DEFAULTS.items():
            patches.set(getattr(links, name), attribute, _Default(
                'chainer.links.%s.%s' % (name, attribute), value))
