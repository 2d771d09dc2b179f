"""CUDA kernels of update rules, made of the elements of the processor's loops."""
import functools

from chainer_fast.backends import cuda
from chainer_fast.backends._cuda_kernel import header

_ELEMENTS = 'chainer_fast/backends/kernels/update_rules/elements.hpp'


def update(rule, param, grad, states, coefficients, dtype='T'):
    """Update an array in place by one kernel.

    Parameters
    ----------
    rule : str
        Name of the rule in ``elements.hpp``.
    param, grad : cupy.ndarray
        The array to update, and its gradient.
    states : sequence of cupy.ndarray
        In the order in which the rule takes them.
    coefficients : dict
        From the names that the rule's coefficients have in ``elements.hpp`` to values.
    dtype : str
        Type of the coefficients as CuPy calls it; by default that of ``grad``.
    """
    kernel = cuda.elementwise(
        *_source(rule, len(states), tuple(coefficients), dtype),
        preamble=header(_ELEMENTS))
    kernel(grad, *coefficients.values(), param, *states)


@functools.cache
def _source(rule, n_states, coefficients, dtype):
    """Return the lists of parameters, the code for one element and the name."""
    arrays = ['param', *('state%d' % i for i in range(n_states))]
    numbers = ['new_' + name for name in arrays]
    pairs = list(zip(arrays, numbers, strict=True))
    return (
        ', '.join(['T grad', *('%s %s' % (dtype, name) for name in coefficients)]),
        ', '.join('T ' + name for name in arrays),
        '''
        typedef chainer_fast::{rule} Rule;
        typedef chainer_fast::Wide<T>::type N;
        Rule::Coefficients<N> c = {{}};
        {assign}
        N {load};
        Rule::update({arguments});
        {store}
        '''.format(
            rule=rule,
            assign=' '.join('c.%s = %s;' % (name, name) for name in coefficients),
            load=', '.join('%s = %s' % (number, array) for array, number in pairs),
            arguments=', '.join(['c', numbers[0], 'N(grad)', *numbers[1:]]),
            store=' '.join('%s = %s;' % pair for pair in pairs)),
        'update_' + rule)
