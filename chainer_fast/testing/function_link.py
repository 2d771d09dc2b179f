"""Test cases of functions and links."""
from chainer_fast.testing._function_link_support import (  # noqa: F401
    FunctionTestError,
    LinkTestError,
)
from chainer_fast.testing._function_test import (  # noqa: F401
    FunctionTestBase,
    FunctionTestCase,
)
from chainer_fast.testing._initializer_argument import InitializerArgument  # noqa: F401
from chainer_fast.testing._link_initializers_test import (  # noqa: F401
    LinkInitializersTestCase,
)
from chainer_fast.testing._link_test import LinkTestCase  # noqa: F401
