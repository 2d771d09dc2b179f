"""Test cases that run on each of several backends."""
from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

from chainer_fast import backend
from chainer_fast._backend import Arrays, Device
from chainer_fast.configuration import using_config
from chainer_fast.testing import _bundle, attr
from chainer_fast.types import Xp


class BackendConfig:
    """Device, and the configuration for functions on it.

    As a context manager, it makes the device current and sets the configuration.

    Parameters
    ----------
    params : dict
        Settings. Omitted settings have the defaults below.

        - ``use_cuda`` (``False``): use CuPy, on ``cuda_device`` (default: 0).
        - ``use_chainerx`` (``False``): use ChainerX, on ``chainerx_device``, a name.
        - ``use_ideep`` (``'never'``): use iDeep unless it is ``'never'``.
        - ``use_cudnn`` (``'never'``), ``cudnn_deterministic``, ``autotune`` and
          ``cudnn_fast_batch_normalization`` (all ``False``): as in
          ``chainer_fast.config``.

    Raises
    ------
    TypeError
        If the parameters are not a dict.
    ValueError
        If a setting is unknown.
    """

    # In the order of names of test cases.
    _props = list({
        'use_chainerx': False,
        'chainerx_device': None,
        'use_cuda': False,
        'cuda_device': None,
        'use_cudnn': 'never',
        'cudnn_deterministic': False,
        'autotune': False,
        'cudnn_fast_batch_normalization': False,
        'use_ideep': 'never',
    }.items())

    use_chainerx: bool
    chainerx_device: Any
    use_cuda: bool
    cuda_device: int | None
    use_cudnn: str
    cudnn_deterministic: bool
    autotune: bool
    cudnn_fast_batch_normalization: bool
    use_ideep: str

    _device = None

    def __init__(self, params: dict[Any, Any]) -> None:
        if not isinstance(params, dict):
            raise TypeError(
                'expected a dict of settings, not %s' % type(params).__name__)
        settings = dict(self._props)
        for name, value in params.items():
            if name not in settings:
                raise ValueError('no setting %s; the settings are %s' % (
                    name, ', '.join(settings)))
            settings[name] = value
        self._contexts = []
        vars(self).update(settings)
        if self.use_chainerx:
            assert isinstance(self.chainerx_device, str), (
                'use_chainerx needs chainerx_device, the name of a device, not %r'
                % (self.chainerx_device,))
        if self.use_cuda and self.cuda_device is None:
            self.cuda_device = 0

    @property
    def device(self) -> Device:
        """The :class:`~chainer_fast.backend.Device`."""
        if self._device is None:
            self._device = backend.get_device(self._device_specifier())
        return self._device

    @property
    def xp(self) -> Xp:
        """The array module of the device."""
        return self.device.xp

    def _device_specifier(self):
        if self.use_chainerx:
            return self.chainerx_device
        if self.use_cuda:
            return '@cupy:%d' % self.cuda_device
        return '@numpy' if self.use_ideep == 'never' else '@intel64'

    def __enter__(self) -> BackendConfig:
        with contextlib.ExitStack() as stack:
            stack.enter_context(backend.using_device(self.device))
            for name in ('use_cudnn', 'cudnn_deterministic', 'autotune',
                         'cudnn_fast_batch_normalization', 'use_ideep'):
                stack.enter_context(
                    using_config(name, getattr(self, name)))
            self._contexts.append(stack.pop_all())
        return self

    def __exit__(
            self, typ: type[BaseException] | None, value: BaseException | None,
            traceback: Any) -> bool | None:
        return self._contexts.pop().__exit__(typ, value, traceback)

    def __repr__(self) -> str:
        return '<BackendConfig %s>' % ' '.join(
            '%s=%r' % (name, getattr(self, name)) for name, _ in self._props)

    def get_func_str(self) -> str:
        """Return text for the name of a test case: all settings and their values."""
        settings = []
        for name, _ in self._props:
            value = getattr(self, name)
            text = str(value).lower() if isinstance(value, bool) else str(value)
            settings.append('%s_%s' % (name, text))
        return '__'.join(settings)

    def get_pytest_marks(self) -> list[Callable[..., Any]]:
        """Return decorators that mark a test by its requirements.

        Returns
        -------
        list of function
            The marks.
        """
        marks = []
        cuda_device = self.cuda_device if self.use_cuda else None
        if self.use_chainerx:
            marks.append(attr.chainerx)
            backend_name, _, index = self.chainerx_device.partition(':')
            if backend_name == 'cuda':
                cuda_device = int(index or 0)
        if cuda_device is not None:
            marks.append(attr.gpu)
            if cuda_device >= 1:
                marks.append(attr.multi_gpu(cuda_device + 1))
            if self.use_cuda and self.use_cudnn != 'never':
                marks.append(attr.cudnn)
        elif not self.use_chainerx and self.use_ideep != 'never':
            marks.append(attr.ideep)
        return marks

    def get_array(self, np_array: Arrays) -> Arrays:
        """Send an array to the device.

        Parameters
        ----------
        np_array : array or sequence of arrays
            Any array, ``None``, or a list or tuple of arrays.

        Returns
        -------
        array
            The array on the device.
        """
        return self.device.send(np_array)


def inject_backend_tests(
        method_names: list[str | None],
        params: list[dict[Any, Any]]) -> Callable[..., Any]:
    """Return a decorator that runs test methods on several backends.

    The second argument of the methods is a :class:`BackendConfig`.

    Parameters
    ----------
    method_names : list of str or None
        Test methods with this argument; all test methods if ``None``. Other test
        methods run once if the class is also parameterized. Otherwise this decorator
        hides them from test runners, as in Chainer.
    params : list of dict
        Parameters of the backends.

    Returns
    -------
    function
        Decorator of a class, or of the result of another decorator of this package.

    Examples
    --------
    >>> import unittest
    >>> from chainer_fast import testing
    >>> @testing.inject_backend_tests(
    ...     None, [{}, {'use_ideep': 'always'}, {'use_cuda': True}])
    ... class TestDouble(unittest.TestCase):
    ...     def test_double(self, backend_config):
    ...         x = backend_config.get_array(np.ones(2, np.float32))
    ...         testing.assert_allclose((chainer.Variable(x) * 2).array, [2, 2])
    """
    if not (method_names is None or isinstance(method_names, list)):
        raise TypeError('expected a list of names of methods or None, not %r' % (
            method_names,))
    if not (isinstance(params, list) and all(isinstance(p, dict) for p in params)):
        raise TypeError('expected a list of dicts of settings, not %r' % (params,))
    return _bundle.make_decorator(functools.partial(
        _test_case_generator, method_names=method_names, params=params))


def _test_case_generator(base, method_names, params):
    def is_injected(method):
        return method_names is None or method.__name__ in method_names

    if method_names is not None:
        yield base.__name__, {}, lambda m: None if is_injected(m) else m
    for param in params:
        config = BackendConfig(param)
        # Each test gets a new configuration, since a test may change it.
        yield ('%s_%s' % (base.__name__, config.get_func_str()), {},
               lambda m, p=param: _on_backend(m, p) if is_injected(m) else None)


def _on_backend(method, param):
    """Return a test method that runs another one on a backend."""
    @functools.wraps(method)
    def wrapper(self, *args, **kwargs):
        return method(self, BackendConfig(param), *args, **kwargs)

    for mark in BackendConfig(param).get_pytest_marks():
        wrapper = mark(wrapper)
    return wrapper
