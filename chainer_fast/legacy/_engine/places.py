"""Attributes up to version 5 that specify the device of a link."""
import numpy

from chainer_fast.legacy import _report
from chainer_fast.link import Link


def install(patches):
    """Restore it."""
    def is_on_cpu(self):
        _report.adapted('chainer.Link._cpu')
        return self.device.xp is numpy

    def ignore(self, value):
        """Do nothing: the methods of the link have already moved it."""
        _report.adapted('chainer.Link._cpu')

    patches.set(Link, '_cpu', property(is_on_cpu, ignore))
    today = vars(Link)['_device_id']
    patches.set(Link, '_device_id', property(today.fget, ignore, doc=today.__doc__))
