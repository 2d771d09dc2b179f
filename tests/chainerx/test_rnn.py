import numpy as np
import pytest

import chainer_fast.functions as F
from chainer_fast import chainerx
from tests.chainerx.checks import array, check, same, uniform, values

pytestmark = pytest.mark.usefixtures('place')

UNITS = [('lstm', ((3, 2), (2, 8))), ('slstm', ((3, 2), (3, 2), (3, 8), (3, 8))),
         ('tree_lstm', ((3, 2), (3, 8))), ('tree_lstm', ((3, 2), (3, 2), (3, 10)))]


@pytest.mark.parametrize('name, shapes', UNITS)
def test_units(name, shapes):
    operands = [uniform(*shape, seed=i) for i, shape in enumerate(shapes)]
    same(getattr(chainerx, name), getattr(F, name), *operands)
    check(getattr(chainerx, name), *operands)


@pytest.mark.parametrize('name, shapes', UNITS)
def test_units_of_other_shapes_and_dtypes(name, shapes):
    operands = [uniform(*shape) for shape in shapes]
    x = operands.pop()
    with pytest.raises(chainerx.DimensionError):
        getattr(chainerx, name)(*map(array, operands), array(x[:, :-1]))
    with pytest.raises(chainerx.DtypeError):
        getattr(chainerx, name)(*map(array, operands), array(x.astype('float32')))
    with pytest.raises(chainerx.DtypeError):
        getattr(chainerx, name)(*[array(a.astype(int)) for a in (*operands, x)])


# Names, numbers of states and of matrices of a layer, and arguments at the end.
LAYERS = [('n_step_lstm', 2, 8, ()), ('n_step_bilstm', 2, 8, ()),
          ('n_step_gru', 1, 6, ()), ('n_step_bigru', 1, 6, ()),
          ('n_step_rnn', 1, 2, ('tanh',)), ('n_step_birnn', 1, 2, ('relu',))]


@pytest.mark.parametrize('name, n_states, n_matrices, args', LAYERS)
def test_layers(name, n_states, n_matrices, args):
    n_layers, units, inputs = 2, 2, 3
    directions = 2 if '_bi' in name else 1
    states = [uniform(n_layers * directions, 3, units, seed=i) for i in range(n_states)]
    xs = [uniform(batch, inputs, seed=batch) for batch in (3, 2)]
    widths = [inputs if layer < directions else units * directions
              for layer in range(n_layers * directions)]
    ws = [uniform(units, width if i < n_matrices // 2 else units, seed=i)
          for width in widths for i in range(n_matrices)]
    bs = [uniform(units, seed=i) for _ in widths for i in range(n_matrices)]

    def call(routine):
        def flat(*arrays):
            rest = iter(arrays)
            hidden = [next(rest) for _ in states]
            steps = [next(rest) for _ in xs]
            layers = [[[next(rest) for _ in range(n_matrices)] for _ in widths]
                      for _ in 'wb']
            *last, ys = routine(*hidden, *layers, steps, *args)
            assert isinstance(ys, (list, tuple))
            return [*last, *ys]
        return flat

    routine = call(lambda *a: getattr(chainerx, name)(n_layers, *a))
    operands = [*states, *xs, *ws, *bs]
    same(routine, call(lambda *a: getattr(F, name)(n_layers, 0., *a)), *operands)
    check(routine, *operands)


def test_the_activation_is_tanh_by_default():
    h, x, w, b = uniform(1, 1, 1), uniform(1, 1), uniform(1, 1), uniform(1)
    hy, ys = chainerx.n_step_rnn(
        1, array(h), [[array(w)] * 2], [[array(b)] * 2], [array(x)])
    assert len(ys) == 1
    np.testing.assert_allclose(
        values(hy)[0], np.tanh(x.dot(w) + h[0].dot(w) + 2 * b))
