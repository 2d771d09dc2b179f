"""Test cases of links."""
import unittest

import numpy

from chainer_fast import backend, gradient_check, link
from chainer_fast.testing import _function_link_support as _support
from chainer_fast.testing import _initializer_argument
from chainer_fast.testing._function_link_support import LinkTestError


class _LinkTestBase:
    """Definitions of test cases of links, and steps shared by their tests."""

    backend_config = None
    contiguous = None
    #: Names of the parameters, in the order of :meth:`generate_params`.
    param_names = ()

    # Definitions by a subclass
    #

    def before_test(self, test_name):
        """Prepare for a test; a hook that does nothing by default.

        Parameters
        ----------
        test_name : str
            Name of the test method.
        """

    def generate_inputs(self):
        """Return a tuple of input arrays, from NumPy. To be overridden."""
        raise NotImplementedError('define generate_inputs()')

    def create_link(self, initializers):
        """Return a link. To be overridden.

        Parameters
        ----------
        initializers : tuple
            Initializers of the parameters named by ``param_names``.
        """
        raise NotImplementedError('define create_link(initializers)')

    def generate_params(self):
        """Return a tuple of initializers of the parameters. To be overridden.

        They are NumPy arrays, numbers, initializers or objects of
        :class:`~chainer_fast.testing.InitializerArgument`.
        """
        raise NotImplementedError('define generate_params()')

    def forward(self, link, inputs, device):
        """Return the output of a link, a variable or a tuple of variables.

        By default, the result of calling the link with the inputs.

        Parameters
        ----------
        link : chainer_fast.Link
            The link, on the device.
        inputs : sequence of Variable
            Inputs on the device.
        device : chainer_fast.backend.Device
            The device.
        """
        return link(*inputs)

    def check_forward_outputs(self, outputs, expected_outputs):
        """Raise ``LinkTestError`` unless outputs are as expected.

        Parameters
        ----------
        outputs, expected_outputs : tuple of array
            Outputs of ``forward`` and ``forward_expected``.
        """
        _support._check_arrays_equal(
            outputs, expected_outputs, LinkTestError, **self.check_forward_options)

    # Steps
    #

    def _begin(self, test_name, backend_config):
        self.backend_config = backend_config
        self.before_test(test_name)

    def _to_noncontiguous_as_needed(self, contig_arrays):
        return _support._with_contiguousness(contig_arrays, self.contiguous)

    def _send(self, arrays):
        """Return arrays on the device in the layout of the test case."""
        return self._to_noncontiguous_as_needed(self.backend_config.get_array(arrays))

    def _generate_params(self):
        params = self.generate_params()
        if not isinstance(params, (tuple, list)):
            raise TypeError('generate_params() must return a tuple or a list, not %s'
                            % type(params).__name__)
        for init in params:
            _initializer_argument._check_generated_initializer(init)
        return params

    def _generate_inputs(self):
        inputs = self.generate_inputs()
        _support._check_array_types(inputs, backend.CpuDevice(), 'generate_inputs')
        return inputs

    def _create_link(self, inits, backend_config):
        """Return a new link on the device."""
        created = self.create_link(tuple(
            _initializer_argument._get_initializer_argument_value(i) for i in inits))
        if not isinstance(created, link.Link):
            raise TypeError('create_link() must return a link, not %s'
                            % type(created).__name__)
        return created.to_device(backend_config.device)

    def _create_initialized_link(self, inits, backend_config):
        """Return a new link after a call, so that all parameters have arrays."""
        created = self._create_link(inits, backend_config)
        inputs = self._send(self._generate_inputs())
        self._forward(
            created, _support._send_variables(backend_config.device, inputs),
            backend_config)
        return created

    def _forward(self, link, inputs, backend_config):
        device = backend_config.device
        with backend_config:
            outputs = self.forward(link, inputs, device)
        if not isinstance(outputs, tuple):
            outputs = outputs,
        _support._check_variable_types(outputs, device, 'forward', LinkTestError)
        return outputs


class LinkTestCase(_LinkTestBase, unittest.TestCase):
    """Base of test cases of a link: forward and backward.

    A subclass defines ``param_names`` and the methods :meth:`generate_params`,
    :meth:`generate_inputs`, :meth:`create_link` and :meth:`forward_expected`, and may
    define :meth:`forward`, :meth:`generate_grad_outputs`,
    :meth:`check_forward_outputs` and :meth:`before_test`. Decorate it with
    :func:`~chainer_fast.testing.inject_backend_tests`, passing ``None`` for the names.

    Attributes
    ----------
    param_names : tuple of str
        Parameters whose gradients are checked. Default: none.
    check_forward_options : dict
        Arguments of :func:`~chainer_fast.testing.assert_allclose`; set in ``setUp``.
    check_backward_options : dict
        Arguments of :func:`~chainer_fast.gradient_check.check_backward`; likewise.
    skip_forward_test, skip_backward_test : bool
        Whether to skip a test. Default: ``False``.
    dodge_nondifferentiable : bool
        Whether to redraw inputs and parameters at which the link is not differentiable.
        Default: ``False``.
    numerical_grad_dtype : dtype
        Type in which finite differences are computed. Default: ``numpy.float64``.
    contiguous : str or None
        ``'C'`` for C-contiguous arrays. Default: ``None``, which makes all arrays
        passed to the link non-contiguous.
    backend_config : BackendConfig
        The backend during a test.

    Raises
    ------
    LinkTestError
        In a test, if the link is wrong.

    See Also
    --------
    chainer_fast.testing.LinkInitializersTestCase

    Examples
    --------
    >>> from chainer_fast import initializers, testing
    >>> @testing.inject_backend_tests(None, [{}, {'use_cuda': True}])
    ... class TestScale(testing.LinkTestCase):
    ...
    ...     param_names = ('W',)
    ...
    ...     def generate_params(self):
    ...         return initializers.Normal(1),
    ...
    ...     def generate_inputs(self):
    ...         return np.random.uniform(-1, 1, (4, 3)).astype('f'),
    ...
    ...     def create_link(self, initializers):
    ...         link = L.Scale(W_shape=(3,))
    ...         initializers[0](link.W.array)
    ...         return link
    ...
    ...     def forward_expected(self, link, inputs):
    ...         return inputs[0] * link.W.array,
    """

    numerical_grad_dtype = numpy.float64
    dodge_nondifferentiable = False
    skip_backward_test = False
    skip_forward_test = False
    check_backward_options = None
    check_forward_options = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.check_backward_options = {}
        self.check_forward_options = {}

    def forward_expected(self, link, inputs):
        """Return a tuple of the expected output arrays, from NumPy. To be overridden.

        Parameters
        ----------
        link : chainer_fast.Link
            The link, on the CPU.
        inputs : tuple of numpy.ndarray
            Inputs.
        """
        raise NotImplementedError('define forward_expected(link, inputs)')

    def generate_grad_outputs(self, outputs_template):
        """Return a tuple of gradients of the outputs, NumPy arrays or ``None``.

        By default they are uniform in [-1, 1).

        Parameters
        ----------
        outputs_template : sequence of array
            The outputs.
        """
        return _support._draw_like(outputs_template)

    def _forward_expected(self, link, inputs):
        outputs = self.forward_expected(link, inputs)
        _support._check_array_types(outputs, backend.CpuDevice(), 'forward_expected')
        return outputs

    def _generate_grad_outputs(self, outputs_template):
        grads = self.generate_grad_outputs(outputs_template)
        _support._check_array_types(
            grads, backend.CpuDevice(), 'generate_grad_outputs')
        return grads

    def test_forward(self, backend_config):
        """Compare outputs with the expected ones."""
        if self.skip_forward_test:
            raise unittest.SkipTest('skip_forward_test is set')
        self._begin('test_forward', backend_config)
        device = backend_config.device
        created = self._create_link(self._generate_params(), backend_config)
        inputs = self._generate_inputs()
        outputs = self._forward(
            created, tuple(_support._send_variables(device, self._send(inputs))),
            backend_config)
        created.to_device('@numpy')
        self.check_forward_outputs(
            tuple(y.array for y in outputs), self._forward_expected(created, inputs))

    def test_backward(self, backend_config):
        """Compare gradients of inputs and parameters with finite differences."""
        if self.skip_backward_test:
            raise unittest.SkipTest('skip_backward_test is set')
        self._begin('test_backward', backend_config)
        _support._check_dodging(
            self._check_backward, self.dodge_nondifferentiable, LinkTestError,
            'backward is wrong')

    def _check_backward(self):
        backend_config = self.backend_config
        inits = self._generate_params()
        template = self._create_link(inits, backend_config)
        inputs = self._send(self._generate_inputs())
        outputs = self._forward(
            template, _support._send_variables(backend_config.device, inputs),
            backend_config)
        params = [p.array for p in _get_link_params(template, self.param_names)]
        grad_outputs = self._generate_grad_outputs([y.array for y in outputs])
        inputs = self._to_noncontiguous_as_needed(inputs)
        params = self._to_noncontiguous_as_needed(params)
        grad_outputs = self._send(grad_outputs)
        # The call above may have changed the state of the link.
        checked = self._create_initialized_link(inits, backend_config)
        checked.cleargrads()

        def forward(inputs, params):
            with checked.init_scope():
                for name, param in zip(self.param_names, params, strict=True):
                    setattr(checked, name, param)
            return self._forward(checked, inputs, backend_config)

        with backend_config:
            gradient_check._check_backward_with_params(
                forward, inputs, grad_outputs, params=params,
                **{'dtype': self.numerical_grad_dtype,
                   'detect_nondifferentiable': self.dodge_nondifferentiable,
                   **self.check_backward_options})


def _get_link_params(link, param_names):
    """Return the parameters of a link with given names."""
    params = []
    for name in param_names:
        param = getattr(link, name, None)
        if param is None:
            LinkTestError.fail('the link has no parameter %s' % name)
        params.append(param)
    return params
