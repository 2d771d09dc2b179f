"""What a program still holds is not reused, whoever of its variables holds it.

The engine tells by counts of references whether anybody else has an object. Since
Python 3.14 a caller need not count what it passes of its variables, neither to code
in C nor to functions in Python: their arguments are then variables without a count.
"""
import copy
import functools
import sys
import weakref

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast._core.backward import backprop
from chainer_fast.variable import Variable

GIVEN = [1., -2.]
HOLDERS = {}


def holder(function):
    """Add a way to hold an object: ``make()`` makes it, and ``use`` is given it."""
    HOLDERS[function.__name__] = function
    return function


@holder
def local(make, use):
    x = make()
    use(x)
    return x


@holder
def argument(make, use):
    def inner(x):
        use(x)

    x = make()
    inner(x)
    return x


@holder
def argument_of_an_argument(make, use):
    def outer(x):
        (lambda x: use(x))(x)
        return x

    return outer(make())


@holder
def argument_that_the_callee_deletes(make, use):
    def inner(x):
        use_it = functools.partial(use, x)
        del x
        use_it()

    x = make()
    inner(x)
    return x


@holder
def keyword(make, use):
    def inner(*, x):
        use(x)
        return x

    return inner(x=make())


@holder
def unpacked_arguments(make, use):
    def inner(*args, **kwargs):
        use(*args)
        return args[0]

    named = {'x': make()}
    return inner(*named.values(), **named)


@holder
def temporary(make, use):
    return (lambda x: (use(x), x))(make())[1]


@holder
def two_names(make, use):
    x = y = make()
    use(x)
    del x
    return y


@holder
def name_bound_anew_while_it_is_passed(make, use):
    x = make()
    return (lambda x, _: (use(x), x))(x, x := None)[1]


@holder
def closure(make, use):
    x = make()
    (lambda: use(x))()
    return x


@holder
def closure_of_an_argument(make, use):
    def inner(x):
        def get():
            return x

        use(x)
        return get

    return inner(make())()


@holder
def default(make, use):
    def inner(x=make()):    # noqa: B008
        use(x)
        return x

    inner()
    return inner.__defaults__[0]


@holder
def generator(make, use):
    def inner(x):
        use(x)
        yield
        yield x

    def start():
        x = make()
        return inner(x)

    waiting = start()
    next(waiting)
    return next(waiting)


@holder
def generator_that_sends(make, use):
    def inner():
        x = yield
        use(x)
        yield x

    waiting = inner()
    next(waiting)
    return waiting.send(make())


@holder
def coroutine(make, use):
    async def inner(x):
        use(x)
        return x

    with pytest.raises(StopIteration) as stopped:
        inner(make()).send(None)
    return stopped.value.value


@holder
def comprehension(make, use):
    return [x for x in [make()] if use(x) is None][0]


@holder
def container(make, use):
    pair = (make(), None)
    use(pair[0])
    return pair[0]


@holder
def attribute(make, use):
    class Holder:
        pass

    holder = Holder()
    holder.x = make()
    use(holder.x)
    return holder.x


@holder
def match(make, use):
    match {'x': make()}:
        case {'x': x}:
            use(x)
    return x


@holder
def frame_that_has_ended(make, use):
    def inner(x):
        use(x)
        return sys._getframe()

    def outer():
        x = make()
        return inner(x)

    return outer().f_locals['x']


@holder
def frame_that_a_debugger_looks_at(make, use):
    def look(x):
        frame = sys._getframe(1)
        seen = frame.f_locals['x']
        del frame
        use(x)
        return seen

    def inner(x):
        return look(x)

    x = make()
    return inner(x)


@holder
def frame_that_a_debugger_changes(make, use):
    def inner(x):
        # Before 3.13 this changes a copy.
        sys._getframe(1).f_locals['x'] = None
        use(x)
        return x

    def outer():
        x = make()
        return inner(x)

    return outer()


@holder
def traced(make, use):
    held = []

    def trace(frame, event, _):
        if frame.f_code is inner.__code__ and event == 'return':
            held.append(frame.f_locals['x'])
        return trace

    def inner(x):
        use(x)

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        inner(make())
    finally:
        sys.settrace(before)
    return held[0]


@holder
def traceback(make, use):
    def inner(x):
        use(x)
        raise KeyError

    def outer():
        x = make()
        inner(x)

    with pytest.raises(KeyError) as caught:
        outer()
    return caught.tb.tb_next.tb_next.tb_frame.f_locals['x']


@pytest.fixture(params=HOLDERS)
def hold(request):
    """Return a function that has an object held while it is used, and returns it."""
    def warm(*args):
        # Code that has run a few times is another one.
        for _ in range(20):
            result = HOLDERS[request.param](*args)
        return result
    return warm


def array():
    return np.array(GIVEN, 'f')


def test_a_gradient_in_the_table(hold):
    """The table adds in place to what it alone has."""
    v = Variable(array()) * 2

    def use(x):
        table = backprop.GradTable()
        table[v.node] = x
        table.accumulate(v.node, array())
        assert table.pop(v.node).array.tolist() == [2, -4]

    assert hold(array, use).tolist() == GIVEN


def test_a_gradient_in_the_table_that_a_weak_reference_reaches():
    """Somebody may come back to it."""
    v = Variable(array()) * 2
    table = backprop.GradTable()
    x = array()
    reference = weakref.ref(x)
    table[v.node] = x
    del x
    table.accumulate(v.node, array())
    total = table.pop(v.node)
    assert total.array.tolist() == [2, -4]
    assert reference() is None or reference().tolist() == GIVEN


def test_an_array_of_a_function(hold):
    """Functions compute from it, and gradients are added up."""
    def use(x):
        v = Variable(x)
        h = F.relu(v)
        y = F.relu(h) + h * h + F.tanh(h) + h
        y.grad = np.ones(2, 'f')
        y.backward()
        F.sum(F.relu(v) * 2).backward()

    assert hold(array, use).tolist() == GIVEN


def test_a_gradient_that_is_given(hold):
    def use(x):
        h = Variable(array()) * 1
        first, second = h + 1, h + 2
        found, = chainer.grad([first, second], [h], [Variable(x), Variable(array())])
        assert found.array.tolist() == [2, -4]
        first.grad, second.grad = x, x
        chainer.backward([first, second])

    assert hold(array, use).tolist() == GIVEN


def test_a_gradient_that_was_computed(hold):
    """Later gradients of the variable are other arrays."""
    def make():
        x = Variable(array())
        F.sum(x * x).backward()
        gradient = x.grad
        x.cleargrad()
        make.x = x
        return gradient

    def use(_):
        x = make.x
        F.sum(F.relu(x) + x * x + x).backward()

    assert hold(make, use).tolist() == [2, -4]


def test_a_variable(hold):
    """Its array stays, and so do its gradient and its node."""
    def make():
        x = Variable(array())
        x.grad = array()
        return x

    def use(x):
        y = F.relu(x) + x
        y.grad = array()
        y.backward()
        assert x.node.get_variable() is x
        x.grad = array()

    held = hold(make, use)
    assert held.array.tolist() == held.grad.tolist() == GIVEN
    assert held.node.get_variable() is held


def test_a_function_keeps_its_output(hold):
    """A function that nobody has need not know it any more."""
    made = []

    def make():
        x, = made[:] = [F.relu(Variable(array()))]
        return x.creator

    def use(_):
        made[0].unchain()
        assert made[0].creator is None

    function = hold(make, use)
    assert function.outputs[0]() is made[0].node


def test_results_of_the_same_call_are_several_arrays(hold):
    x = Variable(array())
    kept = []

    def use(y):
        kept.append((y, copy.copy(y.array)))
        F.relu(x + len(kept))

    hold(lambda: F.relu(x + len(kept)), use)
    assert len({y.array.__array_interface__['data'][0] for y, _ in kept}) == len(kept)
    assert all((y.array == copied).all() for y, copied in kept)


def test_a_class_that_changes_more_often_than_it_may_have_versions():
    """Since Python 3.13 a class has a thousand of them."""
    class Changed(F.activation.relu.ReLU):
        pass

    x = Variable(array())
    for i in range(1100):
        Changed.forward = lambda self, inputs, i=i: (inputs[0] + i,)
        assert Changed().apply((x,))[0].array.tolist() == [1 + i, -2 + i]
    del Changed.forward
    assert Changed().apply((x,))[0].array.tolist() == [1, 0]
