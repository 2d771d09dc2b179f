"""``Link.copyparams`` up to version 4, which did not copy persistent values."""
from chainer_fast.legacy import _named, _report
from chainer_fast.link import Link


def install(patches):
    """Do not copy persistent values if such a version is named."""
    if not _named.is_named(patches, 'v4'):
        return
    copyparams = Link.copyparams

    def copy(self, link, copy_persistent=None):
        if copy_persistent is None:
            copy_persistent = False
            if any(below.__dict__['_persistent'] for below in self.links()):
                _report.adapted('persistent values that Link.copyparams leaves alone')
        copyparams(self, link, copy_persistent)

    copy.__doc__ = copyparams.__doc__
    patches.set(Link, 'copyparams', copy)
