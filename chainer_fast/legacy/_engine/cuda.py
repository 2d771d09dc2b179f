"""Functions and modules of ``chainer.cuda`` in version 1."""
import numpy

from chainer_fast.backends import cuda
from chainer_fast.legacy import _report


def _make_init(what):
    def init(arg=None):
        """Check that there is a GPU, and select it if it is specified."""
        _report.adapted(what)
        cuda.check_cuda_available()
        if arg is not None:
            cuda.get_device_from_id(int(arg)).use()
    return init


def _make_creator(what, name):
    is_like, takes_value = name.endswith('_like'), name.startswith('full')

    def create(first, *arguments, **options):
        """Create an array on the current GPU."""
        _report.adapted(what)
        cuda.check_cuda_available()
        names = (['fill_value'] if takes_value else []) + (
            [] if is_like else ['dtype']) + ['stream']
        options = {**dict(zip(names, arguments, strict=False)), **options}
        options.pop('stream', None)
        if not is_like:
            options.setdefault('dtype', numpy.float32)
        return getattr(cuda.cupy, name)(first, **options)
    return create


_CREATORS = ('empty', 'empty_like', 'full', 'full_like', 'ones', 'ones_like', 'zeros',
             'zeros_like')


def install(patches):
    """Restore ``cuda.init`` and the functions that create arrays."""
    patches.set(cuda, 'init', _make_init('chainer.cuda.init'))
    for name in _CREATORS:
        patches.set(cuda, name, _make_creator('chainer.cuda.' + name, name))
