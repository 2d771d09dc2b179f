"""Arguments of calls of links: ``train``, ``test`` and ``volatile``."""
import functools

from chainer_fast import links
from chainer_fast._help.past.removed import forms
from chainer_fast.configuration import using_config
from chainer_fast.legacy import _report
from chainer_fast.legacy._links import arguments, caffe


def _install_inception(patches):
    """Restore the attribute ``train`` of ``InceptionBN``, which ``test=`` overrode."""
    today = links.InceptionBN.forward

    @functools.wraps(today)
    def forward(self, x, test=None):
        if test is not None:
            _report.adapted('chainer.links.InceptionBN.__call__(test=)')
        elif 'train' in vars(self):
            _report.adapted('chainer.links.InceptionBN.train')
            test = not self.train
        else:
            return today(self, x)
        with using_config('train', not test):
            return today(self, x)
    patches.set(links.InceptionBN, 'forward', forward)


def _install_zoneout(patches):
    """Restore the argument of ``StatefulZoneoutLSTM`` for training mode."""
    cls = links.StatefulZoneoutLSTM
    construct, call = cls.__init__, cls.forward

    @functools.wraps(construct)
    def __init__(self, in_size, out_size, c_ratio=0.5, h_ratio=0.5, train=None):
        construct(self, in_size, out_size, c_ratio, h_ratio)
        if train is not None:
            _report.adapted('chainer.links.StatefulZoneoutLSTM(train=)')
            self.train = train

    @functools.wraps(call)
    def forward(self, x):
        if 'train' not in vars(self):
            return call(self, x)
        with using_config('train', bool(self.train)):
            return call(self, x)
    patches.set(cls, '__init__', __init__)
    patches.set(cls, 'forward', forward)


def install(patches):
    """Accept the arguments of calls in Chainer 1."""
    named = 'v1' in patches.named
    for (name, method), old in forms.CALLS.items():
        arguments.adapt_method(patches, name, method, old, named)
    _install_inception(patches)
    _install_zoneout(patches)
    caffe.adapt_calls(patches)
