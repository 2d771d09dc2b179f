"""The device of an updater, which programs could assign up to version 6."""
from chainer_fast.dataset import convert
from chainer_fast.legacy import _report
from chainer_fast.training.updaters import StandardUpdater


def install(patches):
    """Let it be assigned, even if an updater does not call the base constructor."""
    def set_device(self, device):
        _report.adapted('the device of an updater, set later')
        self._device, self._input_device = device, convert._get_device(device)
    device = vars(StandardUpdater)['device']
    patches.set(StandardUpdater, 'device', device.setter(set_device))
