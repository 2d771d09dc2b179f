"""Test cases of the initializers of links."""
import unittest

import numpy

from chainer_fast import initializers
from chainer_fast.testing import _function_link_support as _support
from chainer_fast.testing._function_link_support import LinkTestError
from chainer_fast.testing._initializer_argument import (
    _check_generated_initializer,
    _get_expected_initializer,
)
from chainer_fast.testing._link_test import _get_link_params, _LinkTestBase


class LinkInitializersTestCase(_LinkTestBase, unittest.TestCase):
    """Base of test cases of a link's initializers.

    A subclass defines ``param_names`` and the methods :meth:`generate_params`,
    :meth:`generate_inputs`, :meth:`create_link` and :meth:`get_initializers`, and may
    define :meth:`forward` and :meth:`before_test`. Decorate it with
    :func:`~chainer_fast.testing.inject_backend_tests`, passing ``None`` for the names.

    Attributes
    ----------
    param_names : tuple of str
        Parameters that are checked.
    check_initializers_options : dict
        Arguments of :func:`~chainer_fast.testing.assert_allclose`; set in ``setUp``.
    contiguous, backend_config
        See :class:`LinkTestCase`.

    Raises
    ------
    LinkTestError
        In a test, if a parameter differs from the result of its initializer.

    See Also
    --------
    chainer_fast.testing.LinkTestCase
    """

    check_initializers_options = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.check_initializers_options = {}

    def get_initializers(self):
        """Return initializers to test, one list for each parameter. To be overridden.

        They are deterministic initializers, NumPy arrays, numbers or objects of
        :class:`~chainer_fast.testing.InitializerArgument`.
        """
        raise NotImplementedError('define get_initializers()')

    def _get_initializers(self):
        lists = self.get_initializers()
        if not isinstance(lists, (tuple, list)) or not all(
                isinstance(inits, (tuple, list)) for inits in lists):
            raise TypeError(
                'get_initializers() must return a list of initializers for each '
                'parameter, not %r' % (lists,))
        for inits in lists:
            for init in inits:
                _check_generated_initializer(init)
        return lists

    def test_initializers(self, backend_config):
        """Compare parameters with the results of their initializers."""
        self._begin('test_initializers', backend_config)
        for i_param, inits in enumerate(self._get_initializers()):
            all_inits = list(self._generate_params())
            for init in inits:
                all_inits[i_param] = init
                self._test_single_initializer(i_param, all_inits, backend_config)

    def _test_single_initializer(self, i_param, inits, backend_config):
        created = self._create_initialized_link(inits, backend_config)
        param = _get_link_params(created, self.param_names)[i_param].array
        init = _get_expected_initializer(inits[i_param])
        dtype = getattr(init, 'dtype', None) or param.dtype
        expected = initializers.generate_array(init, param.shape, numpy, dtype)
        _support._check_arrays_equal(
            (param,), (expected,), LinkTestError, **self.check_initializers_options)
