"""PyYAML and h5py, whose defaults have changed."""
import functools
import os

from chainer_fast.legacy import _frames, _report
from chainer_fast.legacy._python import callers
from chainer_fast.legacy._python.arrivals import when_imported


def _with_loader(function, what, loader):
    @functools.wraps(function)
    def load(stream, Loader=None):
        if Loader is None and callers.wants_old_names(_frames.caller()):
            _report.adapted(what)
            Loader = loader
        return function(stream, Loader) if Loader is not None else function(stream)
    return load


def _of_yaml(patches, yaml):
    for name in ('load', 'load_all'):
        patches.set(yaml, name, _with_loader(
            getattr(yaml, name), 'yaml.%s without Loader' % name, yaml.FullLoader))


def _value(self):
    """Return the whole data set, as an array or a number."""
    _report.adapted('h5py.Dataset.value')
    return self[()]


def _with_mode(init):
    @functools.wraps(init)
    def call(self, name, mode=None, *args, **kwargs):
        is_path = isinstance(name, (str, bytes, os.PathLike))
        if mode is not None or not is_path or not callers.wants_old_names(
                _frames.caller(ignored=('h5py',))):
            if mode is not None or args:
                args = (mode, *args)
            return init(self, name, *args, **kwargs)
        _report.adapted('h5py.File without mode')
        if not os.path.exists(name):
            return init(self, name, 'w-', *args, **kwargs)
        try:
            return init(self, name, 'r+', *args, **kwargs)
        except OSError:
            return init(self, name, 'r', *args, **kwargs)
    return call


def _of_h5py(patches, h5py):
    patches.set(h5py.Dataset, 'value', property(_value))
    patches.set(h5py.File, '__init__', _with_mode(h5py.File.__init__))


def install(patches):
    when_imported(patches, 'yaml', functools.partial(_of_yaml, patches))
    when_imported(patches, 'h5py', functools.partial(_of_h5py, patches))
