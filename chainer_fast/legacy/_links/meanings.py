"""Changed defaults of links; the old ones are used if their version is named."""
import functools
import inspect

from chainer_fast import links
from chainer_fast.configuration import using_config
from chainer_fast.legacy import _frames, _named, _report

_VISION = ('GoogLeNet', 'VGG16Layers', 'ResNet50Layers', 'ResNet101Layers',
           'ResNet152Layers')


def with_default(patches, cls, argument, value, what):
    """Set a default for an argument that differs from the current one."""
    today = cls.__init__
    position = list(inspect.signature(today).parameters).index(argument) - 1

    @functools.wraps(today)
    def __init__(self, *args, **kwargs):
        if len(args) <= position and kwargs.get(argument) is None:
            _report.adapted(what)
            kwargs[argument] = value
        today(self, *args, **kwargs)
    patches.set(cls, '__init__', __init__)


def _in_test_mode(patches, cls, method, flag_at):
    """Run a network in test mode unless the call specifies otherwise.

    The arguments ``train`` and ``test``, the latter at a position, set the
    configuration inside of this.
    """
    today = getattr(cls, method)

    @functools.wraps(today)
    def call(self, *args, **kwargs):
        if (len(args) > flag_at or {'train', 'test'} & kwargs.keys()
                or not _frames.is_called_by_program()):
            return today(self, *args, **kwargs)
        _report.adapted('chainer.links.%s in test mode by default' % cls.__name__)
        with using_config('train', False):
            return today(self, *args, **kwargs)
    patches.set(cls, method, call)


def install(patches):
    """Set the defaults of links to those of a named version."""
    if _named.is_named(patches, 'v1'):
        for cls in (links.LSTM, links.StatelessLSTM):
            with_default(patches, cls, 'forget_bias_init', 0,
                          'chainer.links.LSTM with a forget bias of 0')
        for name in _VISION:
            for method, flag_at in (('forward', 2), ('extract', 3)):
                _in_test_mode(patches, getattr(links, name), method, flag_at)
    if _named.is_named(patches, 'v4'):
        for name in ('BatchNormalization', 'BatchRenormalization'):
            with_default(patches, getattr(links, name), 'initial_avg_var', 0,
                          'chainer.links.%s with a running variance from 0' % name)
    if _named.is_named(patches, 'v1.13'):
        with_default(patches, links.BatchNormalization, 'eps', 1e-5,
                      'chainer.links.BatchNormalization with an eps of 1e-5')
