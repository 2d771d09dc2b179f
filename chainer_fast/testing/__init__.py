"""Tools for tests of functions, links, distributions and extensions on any device."""
from __future__ import annotations

from chainer_fast.testing import (
    _bundle,
    _distribution_test,
    array as array,
    attr as attr,
    backend as backend,
    condition as condition,
    distribution_test as distribution_test,
    function_link as function_link,
    helper as helper,
    matrix as matrix,
    parameterized as parameterized,
    random as random,
    serializer as serializer,
    training as training,
    unary_math_function_test as unary_math_function_test,
)
from chainer_fast.testing._distribution_test import (
    distribution_unittest as distribution_unittest,
)
from chainer_fast.testing.array import assert_allclose as assert_allclose
from chainer_fast.testing.backend import (
    BackendConfig as BackendConfig,
    inject_backend_tests as inject_backend_tests,
)
from chainer_fast.testing.function_link import (
    FunctionTestCase as FunctionTestCase,
    FunctionTestError as FunctionTestError,
    InitializerArgument as InitializerArgument,
    LinkInitializersTestCase as LinkInitializersTestCase,
    LinkTestCase as LinkTestCase,
    LinkTestError as LinkTestError,
)
from chainer_fast.testing.helper import (
    assert_warns as assert_warns,
    patch as patch,
    with_requires as with_requires,
    without_requires as without_requires,
)
from chainer_fast.testing.matrix import generate_matrix as generate_matrix
from chainer_fast.testing.parameterized import (
    from_pytest_parameterize as from_pytest_parameterize,
    parameterize as parameterize,
    parameterize_pytest as parameterize_pytest,
    product as product,
    product_dict as product_dict,
)
from chainer_fast.testing.random import (
    fix_random as fix_random,
    generate_seed as generate_seed,
)
from chainer_fast.testing.serializer import (
    save_and_load as save_and_load,
    save_and_load_hdf5 as save_and_load_hdf5,
    save_and_load_npz as save_and_load_npz,
)
from chainer_fast.testing.training import (
    get_trainer_with_mock_updater as get_trainer_with_mock_updater,
)
from chainer_fast.testing.unary_math_function_test import (
    unary_math_function_unittest as unary_math_function_unittest,
)


def run_module(name: str, file: str) -> None:
    """Run the tests of a file with pytest, if the file is run as a program.

    Parameters
    ----------
    name : str
        ``__name__`` of the module.
    file : str
        ``__file__`` of the module.

    Notes
    -----
    pytest stops at the first failure, in its debugger.
    """
    if name == '__main__':
        import pytest
        pytest.main([file, '-vvs', '-x', '--pdb'])
