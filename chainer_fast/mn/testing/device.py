"""Devices by number."""
from __future__ import annotations

from chainer_fast import backend
from chainer_fast._backend import Device


def get_device(device_id: int | None = None, use_chainerx: bool = False) -> Device:
    """Return a device.

    Parameters
    ----------
    device_id : int, optional
        Number of a GPU; the processor without it.
    use_chainerx : bool
        Whether it should be a device of ChainerX.

    Returns
    -------
    chainer_fast.backend.Device
        The device.
    """
    if use_chainerx:
        name = 'native:0' if device_id is None else 'cuda:%d' % device_id
    else:
        name = '@numpy' if device_id is None else '@cupy:%d' % device_id
    return backend.get_device(name)
