"""The compiled base of links, beside walks written down plainly."""
import copy
import pickle

import hypothesis
import numpy
import pytest
from hypothesis import strategies as st

import chainer_fast
from chainer_fast import variable


class Leaf(chainer_fast.Link):

    def __init__(self, names=('W', 'b')):
        super().__init__()
        with self.init_scope():
            for name in names:
                setattr(self, name, chainer_fast.Parameter(0, (2,)))

    def forward(self, *args, **kwargs):
        return args, kwargs


class OwnParams(Leaf):
    """A link that shows its parameters in another order."""

    def params(self, include_uninit=True):
        yield from reversed(list(super().params(include_uninit)))

    def namedparams(self, include_uninit=True):
        for name, param in super().namedparams(include_uninit):
            yield name + '!', param

    def links(self, skipself=False):
        yield from super().links(skipself)
        yield self


names = st.lists(
    st.text('abWXé_', min_size=1, max_size=3).map('n'.__add__), max_size=15,
    unique=True)


@st.composite
def trees(draw, depth=3):
    kind = draw(st.sampled_from(['leaf', 'own', 'uninit', 'chain', 'list']))
    if depth == 0 or kind in ('leaf', 'own', 'uninit'):
        link = (OwnParams if kind == 'own' else Leaf)(draw(names))
        if kind == 'uninit':
            with link.init_scope():
                link.lazy = chainer_fast.Parameter()
        return link
    below = trees(depth=depth - 1)
    if kind == 'list':
        return chainer_fast.ChainList(*draw(st.lists(below, max_size=3)))
    return chainer_fast.Chain(
        **{'c' + name: draw(below) for name in draw(names)[:4]})


def children_of(link):
    if isinstance(link, chainer_fast.Chain):
        return [(name, getattr(link, name)) for name in sorted(link._children)]
    if isinstance(link, chainer_fast.ChainList):
        return [(str(i), child) for i, child in enumerate(link)]
    return []


def plain_namedparams(link, include_uninit, own=''):
    for name in sorted(link._params):
        param = link.__dict__[name]
        if include_uninit or param.array is not None:
            yield '/' + name + own, param
    for name, child in children_of(link):
        own = '!' if isinstance(child, OwnParams) else ''
        for path, param in plain_namedparams(child, include_uninit, own):
            yield '/' + name + path, param


def plain_params(link, include_uninit):
    found = [link.__dict__[name] for name in sorted(link._params)]
    found = [p for p in found if include_uninit or p.array is not None]
    if isinstance(link, OwnParams):
        found.reverse()
    for _, child in children_of(link):
        found += plain_params(child, include_uninit)
    return found


def plain_namedlinks(link, prefix=''):
    for name, child in children_of(link):
        yield prefix + '/' + name, child
        yield from plain_namedlinks(child, prefix + '/' + name)


def same(a, b):
    a, b = list(a), list(b)
    return len(a) == len(b) and all(
        x is y or (isinstance(x, tuple) and x[0] == y[0] and x[1] is y[1])
        for x, y in zip(a, b, strict=True))


@hypothesis.given(trees(), st.booleans())
def test_walks(link, include_uninit):
    root = chainer_fast.ChainList(link)
    assert same(root.params(include_uninit), plain_params(root, include_uninit))
    assert same(
        root.namedparams(include_uninit), plain_namedparams(root, include_uninit))
    below = list(plain_namedlinks(root))
    assert same(root.namedlinks(), [('/', root), *below])
    assert same(root.namedlinks(skipself=True), below)
    expected = []
    for _, each in below:
        expected += [each, each] if isinstance(each, OwnParams) else [each]
    assert same(root.links(skipself=True), expected)
    assert same(root.children(), [link])
    assert same(link.children(), [child for _, child in children_of(link)])


def test_iterator_goes_on():
    params = Leaf().params()
    first = next(params)
    assert iter(params) is iter(params)
    rest = list(params)
    assert [first.name] + [param.name for param in rest] == ['W', 'b']
    with pytest.raises(StopIteration):
        next(params)


def test_parameters_are_looked_up_when_the_loop_begins():
    link = Leaf()
    params = link.params()
    del link.b
    assert [param.name for param in params] == ['W']


def test_links_changed_during_the_walk():
    model = chainer_fast.Chain(
        a=chainer_fast.Chain(x=Leaf(), y=Leaf()), b=Leaf())
    seen = []
    for link in model.links():
        seen.append(link)
        if link is model.a:
            del link.y
            link.add_link('z', Leaf())
    assert seen == [model, model.a, model.a.x, model.a.z, model.b]


def test_names_changed_by_hand():
    link = Leaf()
    link._params.discard('b')
    assert [param.name for param in link.params()] == ['W']
    link._params = {'b'}
    assert [param.name for param in link.params()] == ['b']


def test_class_changed_after_a_walk():
    class Changing(Leaf):
        pass

    model = chainer_fast.ChainList(Changing())
    assert len(list(model.params())) == 2
    Changing.params = lambda self, include_uninit=True: iter(())
    assert list(model.params()) == []
    del Changing.params
    assert len(list(model.params())) == 2


def test_link_without_init():
    class Forgetful(chainer_fast.Chain):
        def __init__(self):
            pass

    link = Forgetful()
    for use in (link, link.init_scope):
        with pytest.raises(RuntimeError, match='__init__'):
            use()
    for walk in (link.params, link.namedparams, link.children, link.links):
        with pytest.raises(AttributeError, match='_params|_children'):
            list(walk())
    with pytest.raises(AttributeError, match='_params'):
        list(chainer_fast.ChainList(link).params())


class TestCall:

    @pytest.mark.parametrize('n', [0, 1, 6, 7, 20])
    def test_arguments(self, n):
        link = Leaf()
        args = tuple(range(n))
        assert link(*args) == (args, {})
        assert link(*args, key=1) == (args, {'key': 1})

    def test_forward_of_the_instance(self):
        link = Leaf()
        link.forward = lambda x: x + 1
        assert link(1) == 2

    def test_no_forward(self):
        with pytest.raises(AttributeError, match='forward'):
            chainer_fast.Link()()

    def test_error_of_forward(self):
        class Failing(chainer_fast.Link):
            def forward(self):
                raise KeyError('inside')
        with pytest.raises(KeyError, match='inside'):
            Failing()()

    def test_mixin(self):
        class Doubling:
            def __call__(self, x):
                return 2 * x

        class Behind(chainer_fast.Chain, Doubling):
            pass

        class Before(Doubling, chainer_fast.Chain):
            def forward(self, x):
                raise AssertionError

        assert Behind()(3) == 6
        assert Before()(3) == 6
        hook = Recorder()
        with hook:
            Behind()(4)
        assert hook.seen == [8]


class Recorder(chainer_fast.LinkHook):

    name = 'recorder'

    def __init__(self):
        self.seen = []

    def forward_postprocess(self, args):
        self.seen.append(args.out)


def test_hook_put_into_the_dictionary_of_the_thread():
    hooks = chainer_fast._get_link_hooks()
    hook = hooks['recorder'] = Recorder()
    try:
        Leaf()(1)
    finally:
        del hooks['recorder']
    Leaf()(2)
    assert hook.seen == [((1,), {})]


class TestAttributes:

    def test_mixin_that_assigns(self):
        class Noting:
            def __setattr__(self, name, value):
                self.__dict__.setdefault('noted', []).append(name)
                super().__setattr__(name, value)

            def __delattr__(self, name):
                self.noted.append('-' + name)
                super().__delattr__(name)

        class Model(chainer_fast.Chain, Noting):
            pass

        model = Model()
        with model.init_scope():
            model.leaf = Leaf()
        del model.leaf
        assert model.noted[-2:] == ['leaf', '-leaf']
        assert not model._children

    def test_around_the_registration(self):
        link = Leaf()
        with link.init_scope():
            object.__setattr__(link, 'c', chainer_fast.Parameter(0, (1,)))
        object.__delattr__(link, 'W')
        assert link._params == {'W', 'b'}

    def test_deletion(self):
        link = Leaf()
        link.add_persistent('mean', 1)
        for name in ('W', 'mean'):
            delattr(link, name)
            assert not hasattr(link, name)
        assert (link._params, link._persistent) == ({'b'}, set())
        with pytest.raises(AttributeError):
            del link.W

    def test_scopes_in_each_other(self):
        link = Leaf()
        with link.init_scope():
            with link.init_scope():
                assert link.within_init_scope
            assert link.within_init_scope
        assert not link.within_init_scope

    def test_scope_left_by_an_error(self):
        link = Leaf()
        with pytest.raises(ValueError), link.init_scope():
            raise ValueError
        assert not link.within_init_scope

    def test_copies(self):
        for copied in (
                pickle.loads(pickle.dumps(Leaf())), copy.deepcopy(Leaf()),
                copy.copy(Leaf())):
            assert sorted(copied._params) == ['W', 'b']
            assert copied(1) == ((1,), {})


class TestCleargrads:

    def test_all_are_cleared(self):
        model = chainer_fast.ChainList(Leaf(), OwnParams())
        model[0].lazy = chainer_fast.Parameter()
        model[0]._params.add('lazy')
        for param in model.params(include_uninit=False):
            param.grad = numpy.ones_like(param.array)
        model.cleargrads()
        assert all(param.grad is None for param in model.params())
        model[0].lazy.initialize((2,))
        assert model[0].lazy.grad is None

    def test_model_with_a_walk_without_arguments(self):
        class Partly(Leaf):
            def params(self):
                return iter([self.b])
        link = Partly()
        link.W.grad = link.b.grad = numpy.ones(2, numpy.float32)
        link.cleargrads()
        assert link.W.grad is not None and link.b.grad is None

    def test_subclass(self):
        class Counting(chainer_fast.Parameter):
            cleared = 0

            def cleargrad(self):
                self.cleared += 1

        link = Leaf()
        with link.init_scope():
            link.c = Counting(0, (1,))
        link.cleargrads()
        assert link.c.cleared == 1

    def test_replaced_method(self, monkeypatch):
        cleared = []
        monkeypatch.setattr(
            variable.Parameter, 'cleargrad', lambda self: cleared.append(self.name))
        Leaf().cleargrads()
        assert cleared == ['W', 'b']
