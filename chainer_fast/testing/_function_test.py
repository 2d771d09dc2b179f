"""Test cases of functions."""
import unittest

import numpy

from chainer_fast import backend, gradient_check
from chainer_fast.testing import _function_link_support as _support
from chainer_fast.testing import array as _array
from chainer_fast.testing._function_link_support import FunctionTestError


class FunctionTestBase:
    """The tests of :class:`FunctionTestCase`, independent of a test framework.

    The methods ``run_test_*`` run a test on a backend.
    """

    numerical_grad_dtype = numpy.float64
    contiguous = None
    dodge_nondifferentiable = False
    skip_double_backward_test = False
    skip_backward_test = False
    skip_forward_test = False
    check_double_backward_options = None
    check_backward_options = None
    check_forward_options = None
    backend_config = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        for test in ('forward', 'backward', 'double_backward'):
            setattr(self, 'check_%s_options' % test, {})

    # Definitions by a subclass
    #

    def before_test(self, test_name):
        """Prepare for a test; a hook that does nothing by default.

        Parameters
        ----------
        test_name : str
            ``'test_forward'``, ``'test_backward'`` or ``'test_double_backward'``.
        """

    def generate_inputs(self):
        """Return a tuple of input arrays, from NumPy. To be overridden."""
        raise NotImplementedError('define generate_inputs()')

    def forward(self, inputs, device):
        """Return a tuple of output variables. To be overridden.

        Parameters
        ----------
        inputs : tuple of Variable
            Inputs on the device.
        device : chainer_fast.backend.Device
            The device.
        """
        raise NotImplementedError('define forward(inputs, device)')

    def forward_expected(self, inputs):
        """Return a tuple of the expected output arrays, from NumPy. To be overridden.

        Parameters
        ----------
        inputs : tuple of numpy.ndarray
            Inputs, which must not be changed.
        """
        raise NotImplementedError('define forward_expected(inputs)')

    def generate_grad_outputs(self, outputs_template):
        """Return a tuple of gradients of the outputs, NumPy arrays or ``None``.

        By default they are uniform in [-1, 1).

        Parameters
        ----------
        outputs_template : tuple of numpy.ndarray
            Arrays with the shapes and dtypes of the outputs.
        """
        return _support._draw_like(outputs_template)

    def generate_grad_grad_inputs(self, inputs_template):
        """Return a tuple of gradients of the gradients, NumPy arrays or ``None``.

        By default they are uniform in [-1, 1). Those of integer inputs are not used.

        Parameters
        ----------
        inputs_template : tuple of numpy.ndarray
            The inputs.
        """
        return _support._draw_like(inputs_template)

    def check_forward_outputs(self, outputs, expected_outputs):
        """Raise ``FunctionTestError`` unless outputs are as expected.

        Parameters
        ----------
        outputs, expected_outputs : tuple of array
            Outputs of :meth:`forward` and :meth:`forward_expected`.
        """
        _support._check_arrays_equal(
            outputs, expected_outputs, FunctionTestError, **self.check_forward_options)

    # Steps
    #

    def _begin(self, test_name, backend_config):
        """Skip the test, or prepare for it."""
        flag = test_name.replace('test_', 'skip_', 1) + '_test'
        if getattr(self, flag):
            raise unittest.SkipTest(flag + ' is set')
        self.backend_config = backend_config
        self.test_name = test_name
        self.before_test(test_name)

    def _to_noncontiguous_as_needed(self, contig_arrays):
        return _support._with_contiguousness(contig_arrays, self.contiguous)

    def _send(self, arrays):
        """Return arrays on the device in the layout of the test case."""
        return self._to_noncontiguous_as_needed(self.backend_config.get_array(arrays))

    def _generate_inputs(self):
        return self._checked('generate_inputs')

    def _generate_grad_outputs(self, outputs_template):
        return self._checked('generate_grad_outputs', outputs_template)

    def _generate_grad_grad_inputs(self, inputs_template):
        return self._checked('generate_grad_grad_inputs', inputs_template)

    def _forward_expected(self, inputs):
        return self._checked('forward_expected', inputs)

    def _checked(self, method_name, *args):
        """Call a method that must return a tuple of NumPy arrays."""
        arrays = getattr(self, method_name)(*args)
        _support._check_array_types(arrays, backend.CpuDevice(), method_name)
        return arrays

    def _forward(self, inputs, backend_config):
        device = backend_config.device
        with backend_config:
            outputs = self.forward(inputs, device)
        _support._check_variable_types(outputs, device, 'forward', FunctionTestError)
        return outputs

    def _function_to_check(self):
        """Return the function in the form that ``gradient_check`` calls."""
        def f(*inputs):
            return self._forward(inputs, self.backend_config)

        return f

    # Tests
    #

    def run_test_forward(self, backend_config):
        """Compare outputs with the expected ones, and check inputs for changes."""
        self._begin('test_forward', backend_config)
        inputs = self._generate_inputs()
        originals = tuple(x.copy() for x in inputs)
        inputs = self._to_noncontiguous_as_needed(inputs)
        expected_outputs = self._forward_expected(inputs)
        device_inputs = self._send(inputs)
        outputs = self._forward(
            tuple(_support._send_variables(backend_config.device, device_inputs)),
            backend_config)
        for arrays in (inputs, device_inputs):
            _check_unchanged(originals, arrays)
        self.check_forward_outputs(
            tuple(y.array for y in outputs), expected_outputs)

    def run_test_backward(self, backend_config):
        """Compare gradients with finite differences."""
        self._begin('test_backward', backend_config)

        def attempt():
            inputs = self._generate_inputs()
            grad_outputs = self._generate_grad_outputs(self._forward_expected(inputs))
            inputs, grad_outputs = self._send(inputs), self._send(grad_outputs)
            with backend_config:
                gradient_check.check_backward(
                    self._function_to_check(), inputs, grad_outputs,
                    **self._gradient_check_options(self.check_backward_options))

        _support._check_dodging(
            attempt, self.dodge_nondifferentiable, FunctionTestError,
            'backward is wrong')

    def run_test_double_backward(self, backend_config):
        """Compare gradients of gradients with finite differences."""
        self._begin('test_double_backward', backend_config)

        def attempt():
            inputs = self._generate_inputs()
            grad_outputs = self._generate_grad_outputs(self._forward_expected(inputs))
            grad_grad_inputs = self._generate_grad_grad_inputs(inputs)
            if len(grad_grad_inputs) == len(inputs):
                # Integers have no gradients that could be differentiated again.
                grad_grad_inputs = [
                    ggx for x, ggx in zip(inputs, grad_grad_inputs, strict=True)
                    if x.dtype.kind == 'f']
            inputs, grad_outputs = self._send(inputs), self._send(grad_outputs)
            grad_grad_inputs = self._send(grad_grad_inputs)
            with backend_config:
                gradient_check.check_double_backward(
                    self._function_to_check(), inputs, grad_outputs, grad_grad_inputs,
                    **self._gradient_check_options(self.check_double_backward_options))

        _support._check_dodging(
            attempt, self.dodge_nondifferentiable, FunctionTestError,
            'double backward is wrong')

    def _gradient_check_options(self, options):
        return {'dtype': self.numerical_grad_dtype,
                'detect_nondifferentiable': self.dodge_nondifferentiable, **options}


class FunctionTestCase(FunctionTestBase, unittest.TestCase):
    """Base of test cases of a function: forward, backward and double backward.

    A subclass defines :meth:`generate_inputs`, :meth:`forward` and
    :meth:`forward_expected`, and may define :meth:`generate_grad_outputs`,
    :meth:`generate_grad_grad_inputs`, :meth:`check_forward_outputs` and
    :meth:`before_test`. Decorate it with
    :func:`~chainer_fast.testing.inject_backend_tests`, passing ``None`` for the names.

    Attributes
    ----------
    check_forward_options : dict
        Arguments of :func:`~chainer_fast.testing.assert_allclose`; set in ``setUp``,
        as are the next two.
    check_backward_options, check_double_backward_options : dict
        Arguments of :func:`~chainer_fast.gradient_check.check_backward` and
        :func:`~chainer_fast.gradient_check.check_double_backward`.
    skip_forward_test, skip_backward_test, skip_double_backward_test : bool
        Whether to skip a test. Default: ``False``.
    dodge_nondifferentiable : bool
        Whether to redraw inputs at which the function is not differentiable. Default:
        ``False``.
    numerical_grad_dtype : dtype
        Type in which finite differences are computed. Default: ``numpy.float64``.
    contiguous : str or None
        ``'C'`` for C-contiguous arrays. Default: ``None``, which makes all arrays
        passed to the function non-contiguous.
    backend_config : BackendConfig
        The backend during a test.

    Raises
    ------
    FunctionTestError
        In a test, if the function is wrong.

    Examples
    --------
    >>> from chainer_fast import testing
    >>> @testing.inject_backend_tests(None, [{}, {'use_cuda': True}])
    ... class TestReLU(testing.FunctionTestCase):
    ...
    ...     dodge_nondifferentiable = True
    ...
    ...     def generate_inputs(self):
    ...         return np.random.uniform(-1, 1, (3, 2)).astype('f'),
    ...
    ...     def forward(self, inputs, device):
    ...         return F.relu(*inputs),
    ...
    ...     def forward_expected(self, inputs):
    ...         return np.maximum(inputs[0], 0),
    """

    def test_double_backward(self, backend_config):
        self.run_test_double_backward(backend_config)

    def test_backward(self, backend_config):
        self.run_test_backward(backend_config)

    def test_forward(self, backend_config):
        self.run_test_forward(backend_config)


def _check_unchanged(originals, arrays):
    """Raise the error if the function changed its inputs."""
    changed = []
    for i, (original, array) in enumerate(zip(originals, arrays, strict=True)):
        try:
            _array.assert_allclose(original, array, atol=0, rtol=0)
        except AssertionError as e:
            changed.append('input %d, before (x) and after (y):\n%s' % (i, e))
    FunctionTestError.check(
        not changed, 'forward changed its inputs\n' + '\n'.join(changed))
