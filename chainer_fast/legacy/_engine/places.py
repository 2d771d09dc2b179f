"""Whether a link is on the processor, an attribute up to version 5."""
import numpy

from chainer_fast.legacy import _report
from chainer_fast.link import Link


def install(patches):
    """Bring it back."""
    def is_on_cpu(self):
        _report.adapted('chainer.Link._cpu')
        return self.device.xp is numpy
    patches.set(Link, '_cpu', property(is_on_cpu))
