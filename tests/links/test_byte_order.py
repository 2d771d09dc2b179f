"""Parameters and inputs as files have them: swapped bytes, and at odd addresses."""
import numpy as np
import pytest

import chainer_fast as chainer
from tests.arguments import calls, cases
from tests.functions.forms import flat, moved, swapped

LIBRARY = calls.Library('chainer_fast')
CASES = [i for i, case in enumerate(cases.CASES)
         if case.name.startswith('L.') and case.then and not case.get]


def same(array):
    return array


def _formed(value, form):
    if isinstance(value, chainer.Variable):
        value.array = form(value.array)
    elif isinstance(value, np.ndarray):
        return form(value)
    elif isinstance(value, (list, tuple)):
        return type(value)([_formed(each, form) for each in value])
    return value


def _results(case, of_inputs, of_parameters):
    """Return results of a link, and gradients of its inputs and parameters."""
    np.random.seed(0)
    link = LIBRARY.find(case.name)(
        *LIBRARY.inputs(case.args, []), **LIBRARY.inputs(case.fixed, []), **case.varied)
    made, inputs, keywords = [], [], {}
    for each in case.then:
        if isinstance(each, str):
            name, _, number = each.partition('=')
            keywords[name] = int(number)
        else:
            inputs.append(_formed(LIBRARY.inputs(each, made), of_inputs))
    for parameter in link.params(include_uninit=False):
        parameter.array = of_parameters(parameter.array)
    link.cleargrads()
    np.random.seed(1)
    ys = [y for y in flat(link(*inputs, **keywords)) if y.creator is not None]
    for y in ys:
        y.grad = np.cos(np.arange(y.size)).astype(y.dtype).reshape(y.shape)
    chainer.backward(ys)
    return [y.array for y in ys] + [x.grad for x in made] + [
        parameter.grad for _, parameter in sorted(link.namedparams())]


@pytest.mark.parametrize('of_inputs, of_parameters', [
    (swapped, same), (same, swapped), (swapped, swapped), (moved, moved)])
@pytest.mark.parametrize('number', CASES, ids=lambda i: '%d-%s' % (
    i, cases.CASES[i].name))
@pytest.mark.filterwarnings('ignore')
def test_results_and_gradients(number, of_inputs, of_parameters):
    case = cases.CASES[number]
    expected = _results(case, same, same)
    for a, b in zip(_results(case, of_inputs, of_parameters), expected, strict=True):
        if b is None:
            assert a is None
        else:
            # Sums round by what is added up, of which little may be left.
            np.testing.assert_allclose(a, b, 1e-4, 3e-6 * np.abs(b).max(initial=1))
