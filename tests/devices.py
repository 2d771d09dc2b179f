"""The devices that tests run on."""
import numpy as np

from chainer_fast import Variable, backend, device_resident, get_array_types
from chainer_fast.testing import array as layouts


class Device:
    """A device by its name, as tests see it."""

    def __init__(self, name):
        self.name = name
        self._device = backend.get_device(name)
        self.xp = self._device.xp

    def __repr__(self):
        return 'Device(%r)' % self.name

    def seed(self, number):
        """Seed the random numbers of the device, and those of NumPy."""
        np.random.seed(number)
        self.xp.random.seed(number)

    def send(self, thing):
        """Return an array that lies on the device, with gaps if there were some.

        Links and variables are moved, and so is what tuples, lists and dictionaries
        hold. Anything else is returned as it is.
        """
        if isinstance(thing, (tuple, list)):
            return type(thing)([self.send(each) for each in thing])
        if isinstance(thing, dict):
            return {key: self.send(each) for key, each in thing.items()}
        if isinstance(thing, (device_resident.DeviceResident, Variable)):
            thing.to_device(self._device)
            return thing
        if not isinstance(thing, np.ndarray) or self.xp is np:
            return thing
        sent = self._device.send(thing)
        if thing.flags.c_contiguous:
            return sent
        return layouts._as_noncontiguous_array(sent)


def to_cpu(thing):
    """Return NumPy arrays, also those in tuples, lists and dictionaries."""
    if isinstance(thing, (tuple, list)):
        return type(thing)([to_cpu(each) for each in thing])
    if isinstance(thing, dict):
        return {key: to_cpu(each) for key, each in thing.items()}
    if isinstance(thing, get_array_types()):
        return backend.CpuDevice().send(thing)
    return thing
