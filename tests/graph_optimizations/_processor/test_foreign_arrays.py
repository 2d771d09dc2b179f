"""Static chains of arrays that come from files, pickles and other libraries.

Their dtypes are equal to NumPy's own, and need not be the same objects.
"""
import copy
import io
import pickle

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast.graph_optimizations._processor import planner, plans
from tests import forced
from tests._core.foreign import NATIVE, ORIGINS, OTHERS
from tests.graph_optimizations.static_chains import (
    Model,
    Static,
    affine,
    assert_same,
    draw,
    every_loop,
)


def several(chain, x):
    """Loops, products, functions of the engine, and several outputs."""
    h = F.tanh(F.linear(x, chain.w, chain.b))
    a, b = F.split_axis(h * F.sigmoid(x), [1], 1)
    return F.concat([F.sin(b), a], 1) + F.matmul(h, chain.v), F.sum(h)


def same(array):
    return array


def step(chain, x, of_params, of_inputs, of_grads):
    """Return outputs and gradients of a step; arrays are made anew before it."""
    for p in chain.params():
        p.array = of_params(p.array)
    chain.cleargrads()
    x = chainer.Variable(of_inputs(x))
    ys = chain(x)
    ys = ys if isinstance(ys, tuple) else (ys,)
    for i, y in enumerate(ys):
        y.grad = of_grads(draw(i + 7, *y.shape, dtype=y.dtype))
    chainer.backward(ys)
    found = [y.array for y in ys] + [x.grad] + [p.grad for p in chain.params()]
    for p in chain.params():
        if p.grad is not None:
            p.array = np.asarray(p.array - .01 * p.grad, p.dtype)
    return found


def outcome(*args):
    """Return what a step gives, and the type of its error."""
    try:
        return step(*args), None
    except Exception as error:
        return [], type(error)


def compare(compute, dtype, *origins, expected=(same, same, same)):
    plain, static = Model(compute, dtype), Static(compute, dtype)
    for i in range(6):
        x = draw(i, 4, 3, dtype=dtype)
        a, b = outcome(plain, x, *expected), outcome(static, x, *origins)
        assert a[1] is b[1]
        assert_same(a[0], b[0], dtype == 'd' and not forced.GENERAL)
    return static


@pytest.mark.parametrize('compute', [every_loop, affine, several])
@pytest.mark.parametrize('dtype', 'fd')
@pytest.mark.parametrize('origin', NATIVE)
@pytest.mark.parametrize('place', ['parameters', 'inputs', 'gradients', 'everywhere'])
def test_native_arrays_are_planned(compute, dtype, origin, place):
    origins = [NATIVE[origin] if place in (each, 'everywhere') else same
               for each in ('parameters', 'inputs', 'gradients')]
    static = compare(compute, dtype, *origins)
    assert static.seen.count == 2, static.schedule_manager.calls.refused


@pytest.mark.parametrize('origin', OTHERS)
@pytest.mark.parametrize('place', ['parameters', 'inputs', 'gradients'])
def test_other_arrays_have_the_same_numbers(origin, place):
    origins = [OTHERS[origin] if place == each else same
               for each in ('parameters', 'inputs', 'gradients')]
    compare(several, 'f', *origins, expected=origins)


@pytest.mark.parametrize('first', sorted(ORIGINS))
def test_origins_may_alternate(first):
    plain, static = Model(several), Static(several)
    for i in range(8):
        x = draw(i, 4, 3)
        origin = ORIGINS[first] if i % 2 == 0 else same
        a, b = (outcome(chain, x, origin, origin, same) for chain in (plain, static))
        assert a[1] is b[1]
        assert_same(a[0], b[0], False)


def through_npz(chain):
    file = io.BytesIO()
    chainer.serializers.save_npz(file, chain)
    file.seek(0)
    other = Static(affine)
    chainer.serializers.load_npz(file, other)
    return other


COPIES = {
    'pickle': lambda chain: pickle.loads(pickle.dumps(chain)),
    'pickle of a pickle': lambda chain: pickle.loads(pickle.dumps(
        pickle.loads(pickle.dumps(chain)))),
    'deepcopy': copy.deepcopy,
    'copy': lambda chain: chain.copy('copy'),
    'npz': through_npz,
}


@pytest.mark.parametrize('calls_before', [0, 3])
@pytest.mark.parametrize('how', COPIES)
def test_copies_of_chains(how, calls_before):
    chain, plain = Static(affine), Model(affine)
    for i in range(calls_before):
        chain(draw(i, 4, 3))
    chain = COPIES[how](chain)
    before = chain.seen.count
    optimizers = []
    for each in (plain, chain):
        optimizers.append(chainer.optimizers.Adam())
        optimizers[-1].setup(each)
    for i in range(6):
        if i == 3:
            optimizers[1] = pickle.loads(pickle.dumps(optimizers[1]))
            chain = optimizers[1].target
            before = chain.seen.count
        for each, optimizer in zip((plain, chain), optimizers, strict=True):
            each.cleargrads()
            F.sum(each(chainer.Variable(draw(i, 4, 3))) ** 2).backward()
            optimizer.update()
        assert_same([p.array for p in plain.params()],
                    [p.array for p in chain.params()], False)
    assert chain.seen.count <= before + 2


# Workspaces that could not be filled
#

def planned(compute=affine):
    """Return the plan of a call, and its number of values."""
    static = Static(compute)
    for _ in range(3):
        F.sum(static(chainer.Variable(draw(0, 4, 3)))).backward()
    (call,), = static.schedule_manager.calls._kept.values()
    return static, call


@pytest.mark.parametrize('compute', [every_loop, affine, several])
def test_no_plan_runs_in_a_workspace_that_lacks_a_value(compute):
    static = Static(compute)
    for _ in range(3):
        static(chainer.Variable(draw(0, 4, 3)))
    (call,), = static.schedule_manager.calls._kept.values()
    given = [*zip(call.input_values, [draw(0, 4, 3)], strict=True),
             *zip(call.param_values, [p.array for p in call.params], strict=True)]
    used = 0
    for missing, array in given:
        for wrong in (None, array.astype('d'), array[1:], array.astype('>f4')):
            workspace = call.new_workspace()
            fits = workspace.fill(*zip(*[
                (value, wrong if value == missing else each)
                for value, each in given], strict=True))
            assert not fits
            try:
                assert call.plan.run(workspace)
            except plans.NotStatic as error:
                assert 'value %d' % missing in str(error)
                used += 1
    assert used >= 4
    workspace = call.new_workspace()
    assert workspace.fill(*zip(*given, strict=True)) and call.plan.run(workspace)


def test_what_does_not_fit_leaves_nothing_of_an_earlier_call():
    _, call = planned()
    workspace, = call.workspaces
    value = call.input_values[0]
    assert workspace.fill([value], [draw(0, 4, 3)])
    assert not workspace.fill([value], [draw(0, 5, 3)])
    assert workspace.arrays[value] is None


def test_a_plan_without_memory_of_its_own_raises():
    values = planner.Values()
    x, y = values.add((3,), np.dtype('f')), values.add((3,), np.dtype('>f4'))
    plan = plans.Plan([], [y], [], set(), [], [], [], [x], [], False)
    workspace = plans.Workspace(values.templates, values.plain, [], [])
    workspace.fill([x], [np.ones(3, 'f')])
    with pytest.raises(plans.NotStatic, match='no memory'):
        plan.run(workspace)


@pytest.mark.parametrize('wrong', [draw(1, 1, 3), draw(1, 5, 3), draw(1, 4, 3).T])
def test_gradients_of_another_kind_are_left_to_the_code(wrong):
    def outcome_of(chain):
        y = chain(chainer.Variable(draw(0, 4, 3)))
        y._set_grad_without_check(wrong)
        try:
            y.backward()
        except Exception as error:
            return type(error)
        return [p.grad.tolist() for p in chain.params() if p.grad is not None]

    static, _ = planned(every_loop)
    plain = Model(every_loop)
    assert outcome_of(plain) == outcome_of(static)
