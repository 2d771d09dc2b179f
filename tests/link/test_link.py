import copy
import copyreg
import gc
import pickle
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import chainer_fast
from chainer_fast import Chain, ChainList, Link, Parameter, Sequential, initializers
from chainer_fast.link import _ensure_shape_dtype

Normal = initializers.Normal


def make(cls=Link, **params):
    link = cls()
    with link.init_scope():
        for name, shape in params.items():
            setattr(link, name, Parameter(Normal(), shape))
    return link


class TestRegistration:

    def test_parameters_take_the_name_of_their_attribute(self):
        link, param = Link(), Parameter()
        with link.init_scope():
            assert link.within_init_scope
            link.x = param
            link.y = 3
        assert not link.within_init_scope
        link.z = Parameter()
        assert param.name == 'x'
        assert list(link.params()) == [param]
        assert link._params == {'x'}

    def test_scopes_nest(self):
        link = Link()
        with link.init_scope():
            with link.init_scope():
                pass
            link.x = Parameter()
        with pytest.raises(KeyError), link.init_scope():
            raise KeyError
        link.y = Parameter()
        assert link._params == {'x'}

    def test_add_param(self):
        link = Link()
        link.add_param('a', (2,), 'd')
        assert link.a.dtype == np.float64
        assert np.isnan(link.a.array).all()
        link.add_param('b', initializer=np.ones(3, 'f'))
        np.testing.assert_array_equal(link.b.array, 1)
        link.add_param('c')
        assert not link.c.is_initialized
        assert link._params == {'a', 'b', 'c'}

    def test_keyword_arguments(self):
        link = Link(a=3, b=((2, 2), 'd'), c=None, d=(1, 2))
        assert [p.shape for p in (link.a, link.b, link.d)] == [(3,), (2, 2), (1, 2)]
        assert [p.dtype for p in (link.a, link.b)] == [np.float32, np.float64]
        assert link.c.array is None

    @pytest.mark.parametrize('value, expected', [
        (None, (None, np.float32)), (3, (3, np.float32)),
        ((2, 3), ((2, 3), np.float32)),
        (((2,), 'd'), ((2,), 'd')), ((), ((), np.float32)), ((None, 'd'), (None, 'd'))])
    def test_shape_or_pair(self, value, expected):
        assert _ensure_shape_dtype(value) == expected

    def test_persistent_values(self):
        link = Link(x=2)
        link.add_persistent('p', 1)
        link.q = 2
        link.register_persistent('q')
        link.register_persistent('x')
        assert link._persistent == {'p', 'q', 'x'}
        assert not link._params
        with link.init_scope():
            link.q = Parameter()
        assert (link._persistent, link._params) == ({'p', 'x'}, {'q'})
        with pytest.raises(AttributeError, match='nothing'):
            link.register_persistent('nothing')

    @pytest.mark.parametrize('name', ['shown', 'xp', None, 3])
    def test_persistent_values_have_any_name(self, name):
        class Shown(Link):
            @property
            def shown(self):
                return 'shown'

        link, other = Shown(), Shown()
        for each in link, other:
            each.add_persistent(name, np.zeros(2))
        assert link._persistent == {name}
        link.__dict__[name][:] = 3
        other.copyparams(link)
        assert list(other.__dict__[name]) == [3, 3]
        assert link.shown == 'shown' and link.xp is np

    def test_a_name_that_fails_is_not_registered(self):
        link = Link()
        with pytest.raises(TypeError):
            link.add_persistent([], 1)
        assert not link._persistent

    def test_names_in_use(self):
        link = Link(x=2)
        for add in (link.add_param, lambda name: link.add_persistent(name, 1)):
            for name in ('x', 'name'):
                with pytest.raises(AttributeError, match=name):
                    add(name)

    def test_deletion(self):
        link = Link(x=2)
        link.add_persistent('p', 1)
        del link.x, link.p
        assert not link._params
        assert not link._persistent
        with pytest.raises(AttributeError):
            del link.x

    def test_forgotten_init(self):
        class Forgetful(Link):
            def __init__(self):
                pass

            def forward(self):
                pass

        def init_scope(link):
            with link.init_scope():
                pass

        for use in (lambda x: x(), init_scope, lambda x: x.add_param('p')):
            with pytest.raises(
                    RuntimeError, match=r'^Link\.__init__\(\) has not been called\.$'):
                use(Forgetful())

    def test_from_params_is_for_subclasses(self):
        with pytest.raises(NotImplementedError, match='Link'):
            Link.from_params()


class TestCall:

    def test_calls_forward(self):
        class Adder(Link):
            def forward(self, a, b):
                return a + b

        assert Adder()(1, b=2) == 3

    def test_forward_of_the_instance(self):
        link = Link()
        link.forward = lambda: 5
        assert link() == 5

    def test_call_of_a_mixin(self):
        class Mixin:
            def __call__(self, x):
                return x + 1

        class Mixed(Link, Mixin):
            pass

        link = Mixed()
        assert link(1) == 2
        link.forward = None  # a mixin's __call__ goes first
        assert link(1) == 2

    def test_without_forward(self):
        with pytest.raises(AttributeError, match='forward'):
            Link()()


class TestText:

    def test_specs(self):
        class Spec(Link):
            @property
            def printable_specs(self):
                yield 'a', 1
                yield 'b', None

        assert str(Spec()) == 'Spec(a=1, b=None)'
        assert str(Link()) == 'Link()'

    def test_children(self):
        chain = Chain(b=Link(), a=ChainList(Link()))
        assert str(chain) == (
            'Chain(\n  (a): ChainList(\n    (0): Link(),\n  ),\n  (b): Link(),\n)')
        assert str(Chain()) == 'Chain()'


class TestChain:

    def test_children_are_attributes(self):
        link = Link()
        chain = Chain(a=link)
        with chain.init_scope():
            chain.b = Link()
        chain.c = Link()
        assert chain.a is chain['a'] is link
        assert link.name == 'a'
        assert list(chain.children()) == [chain.a, chain.b]
        assert chain._children == {'a', 'b'}
        del chain.a
        assert chain._children == {'b'}

    def test_names_in_use(self):
        chain = Chain(a=Link())
        for name in ('a', 'name', 'params'):
            with pytest.raises(AttributeError, match=name):
                chain.add_link(name, Link())
            with pytest.raises(AttributeError), chain.init_scope():
                setattr(chain, name, Link())

    def test_only_links(self):
        with pytest.raises(TypeError, match='int'):
            Chain(a=3)

    def test_parameters_of_its_own(self):
        chain = make(Chain, x=(1,))
        chain.add_link('a', make(w=(1,)))
        assert [path for path, _ in chain.namedparams()] == ['/x', '/a/w']


def change(target, index, value):
    """Assign to an index of a list, or delete it; return the type of the error."""
    try:
        if value is None:
            del target[index]
        else:
            target[index] = value
    except (IndexError, ValueError) as e:
        return type(e)


class TestChainList:

    def setup_method(self):
        self.links = [Link() for _ in range(4)]

    def test_is_a_list(self):
        a, b, c, d = self.links
        chain = ChainList(a)
        chain.append(c)
        chain.insert(1, b)
        chain += [d]
        assert list(chain) == self.links
        assert chain[1:3] == [b, c]
        assert chain[-1] is d
        assert len(chain) == 4
        assert chain.index(c) == 2
        assert b in chain
        chain.reverse()
        assert list(chain) == self.links[::-1]
        assert chain.pop() is a
        chain.remove(c)
        assert list(chain.children()) == [d, b]
        assert [x.name for x in chain] == ['0', '1']

    @given(st.data())
    def test_assignment_and_deletion(self, data):
        links = [Link() for _ in range(8)]
        chain, model = ChainList(*links[:4]), links[:4]
        for new in links[4:]:
            n = len(model)
            index = data.draw(st.one_of(st.integers(-n - 1, n), st.slices(n)))
            value = None if data.draw(st.booleans()) else (
                [new] if isinstance(index, slice) else new)
            outcomes = [
                change(target, index, value) for target in (chain, model)]
            assert outcomes[0] == outcomes[1]
            assert list(chain) == model
            assert [x.name for x in model] == [str(i) for i in range(len(model))]

    def test_children_are_no_attributes(self):
        chain = ChainList()
        with chain.init_scope():
            with pytest.raises(TypeError, match='add_link'):
                chain.a = Link()
            chain.p = Parameter()
        chain.b = Link()
        assert len(chain) == 0
        assert chain._params == {'p'}

    def test_only_links(self):
        chain = ChainList(Link())
        for change in (lambda: chain.append(3), lambda: chain.__setitem__(0, 3)):
            with pytest.raises(AttributeError):
                change()
        assert len(chain) == 1
        with pytest.raises(TypeError, match='str'):
            chain['a'] = Link()


@st.composite
def trees(draw, depth=3):
    """Links with parameters, and what their paths should be."""
    kind = draw(st.sampled_from([Link, Chain, ChainList] if depth else [Link]))
    link = kind()
    names = draw(st.sets(st.sampled_from('pqrs'), max_size=2))
    params = {}
    with link.init_scope():
        for name in names:
            setattr(link, name, Parameter(Normal(), (1,) if name < 'r' else None))
            params['/' + name] = getattr(link, name)
    links = {'/': link}
    if kind is not Link:
        for i, key in enumerate(draw(st.permutations('abc'))[:draw(st.integers(0, 3))]):
            child, child_params, child_links = draw(trees(depth - 1))
            if kind is Chain:
                link.add_link(key, child)
            else:
                link.append(child)
                key = str(i)
            params.update({'/' + key + k: v for k, v in child_params.items()})
            links.update({'/' + key + k.rstrip('/'): v for k, v in child_links.items()})
    return link, params, links


class TestTraversal:

    @given(trees())
    def test_paths(self, tree):
        link, params, links = tree
        named = list(link.namedparams())
        assert {path: id(p) for path, p in named} == {
            path: id(p) for path, p in params.items()}
        assert [id(p) for p in link.params()] == [id(p) for _, p in named]
        assert [path for path, _ in link.namedparams(include_uninit=False)] == [
            path for path, p in named if p.is_initialized]
        assert all(p.is_initialized for p in link.params(False))

        assert dict(link.namedlinks()) == links
        assert list(link.links()) == [x for _, x in link.namedlinks()]
        assert list(link.links(skipself=True)) == list(link.links())[1:]
        assert list(link.namedlinks(skipself=True)) == list(link.namedlinks())[1:]

    @given(trees())
    def test_order(self, tree):
        link = tree[0]
        own = [p.name for p in link.params() if any(
            p is getattr(link, n) for n in link._params)]
        assert own == sorted(link._params)
        if isinstance(link, Chain):
            assert [x.name for x in link.children()] == sorted(link._children)

    @pytest.mark.parametrize('make', [Chain, ChainList, Sequential])
    def test_link_that_contains_itself(self, make):
        link = make()
        link.add_link(*(['self', link] if make is Chain else [link]))
        for walk in (link.params, link.namedparams, link.links, link.namedlinks,
                     link.cleargrads, link.count_params):
            with pytest.raises(RecursionError):
                list(walk())

    def test_count_params(self):
        chain = Chain(a=make(w=(2, 3), u=None), b=make(w=(4,)))
        with pytest.warns(UserWarning, match='/a/u') as record:
            assert chain.count_params() == 10
        assert len(record) == 1
        chain.a.u.initialize((5,))
        assert chain.count_params() == 15


class Stateful(Link):

    def __init__(self):
        super().__init__()
        self.add_param('w', (2,), initializer=0)

    def __getstate__(self):
        return dict(self.__dict__, cache=None)


class TestCopy:

    def setup_method(self):
        self.link = make(x=(3,), u=None)
        self.link.x.update_rule = chainer_fast.UpdateRule()
        self.link.x.grad = np.ones(3, 'f')
        self.link.add_persistent('p', np.ones(2))
        self.link.other = [1]
        self.link.name = 'name'

    def test_share(self):
        clone = self.link.copy()
        assert clone.x is not self.link.x
        assert clone.x.array is self.link.x.array
        assert clone.x.update_rule is self.link.x.update_rule
        assert clone.x.grad is None
        assert clone.u is not self.link.u
        assert clone.p is self.link.p
        assert clone.other is self.link.other
        assert clone.name is None
        clone.add_param('new')
        clone.add_persistent('newer', 1)
        assert self.link._params == {'x', 'u'}
        assert self.link._persistent == {'p'}
        np.testing.assert_array_equal(self.link.x.grad, 1)

    def test_copy(self):
        clone = self.link.copy('copy')
        for name in ('x', 'u', 'p', 'other'):
            assert getattr(clone, name) is not getattr(self.link, name)
        assert clone.x.array is not self.link.x.array
        np.testing.assert_array_equal(clone.x.array, self.link.x.array)
        np.testing.assert_array_equal(clone.x.grad, 1)
        assert clone.name == 'name'

    def test_init(self):
        clone = self.link.copy('init')
        assert (clone.x.array != self.link.x.array).all()
        assert not clone.u.is_initialized
        assert clone.p is not self.link.p

    @pytest.mark.parametrize('make_parent', [
        lambda link: Chain(a=link), lambda link: ChainList(link),
        lambda link: Sequential(link, abs)])
    @pytest.mark.parametrize('mode', ['share', 'copy', 'init'])
    def test_children(self, make_parent, mode):
        parent = make_parent(self.link)
        clone = parent.copy(mode)
        child, = clone.children()
        assert type(clone) is type(parent)
        assert child is not self.link
        assert child.name == self.link.name
        assert (child.x.array is self.link.x.array) == (mode == 'share')
        assert np.array_equal(child.x.array, self.link.x.array) == (mode != 'init')
        assert list(parent.children()) == [self.link]

    def test_copied_chain_has_children_of_its_own(self):
        chain = Chain(a=Link())
        clone = chain.copy()
        clone.add_link('b', Link())
        assert chain._children == {'a'}

    def test_random_numbers(self):
        # As in Chainer: a chain initializes its whole hierarchy, then copies each
        # child, which initializes it again.
        chain = make(Chain, x=(1,), b=(1,))
        chain.add_link('z', make(w=(1,)))
        chain.add_link('a', make(p=(1,)))
        drawn = np.random.RandomState(3).normal(0, 0.05, 6).astype('f')
        np.random.seed(3)
        clone = chain.copy('init')
        values = {path: p.array[0] for path, p in clone.namedparams()}
        assert values == {
            '/b': drawn[0], '/x': drawn[1], '/a/p': drawn[4], '/z/w': drawn[5]}

    @pytest.mark.parametrize('mode', ['deep', None])
    def test_unknown_mode(self, mode):
        for link in (self.link, Chain(a=self.link), ChainList(self.link)):
            with pytest.raises(ValueError, match=repr(mode)):
                link.copy(mode)
            with pytest.raises(ValueError, match=repr(mode)):
                link.repeat(2, mode)

    def test_repeat(self):
        for mode in ('init', 'copy', 'share'):
            repeated = self.link.repeat(3, mode)
            assert type(repeated) is Sequential
            assert [x.name for x in repeated] == ['0', '2', '1']  # as in Chainer
            assert len({id(x.x) for x in repeated} | {id(self.link.x)}) == 4
            assert len({id(x.x.array) for x in repeated}) == (
                1 if mode == 'share' else 3)
            assert len({x.x.array[0] for x in repeated}) == (3 if mode == 'init' else 1)
        assert len(self.link.repeat(0)) == len(self.link.repeat(-1)) == 0

    @pytest.mark.parametrize('protocol', range(pickle.HIGHEST_PROTOCOL + 1))
    def test_pickle_protocols(self, protocol):
        chain = ChainList(self.link, Sequential(Link(), abs))
        clone = pickle.loads(pickle.dumps(chain, protocol))
        assert type(clone) is ChainList and type(clone[1]) is Sequential
        assert clone[1][1] is abs
        for mine, other in zip(clone.params(), chain.params(), strict=True):
            np.testing.assert_array_equal(mine.array, other.array)

    @pytest.mark.parametrize('cls', [Link, Chain, ChainList, Sequential])
    def test_pickles_of_chainer(self, cls):
        # It makes objects by either of these, and gives them their dictionary.
        link = cls()
        state = dict(vars(link), _Link__init_done=True)
        for clone in (copyreg._reconstructor(cls, object, None),
                      copyreg.__newobj__(cls), object.__new__(cls)):
            with pytest.raises(AttributeError):
                list(clone.params())
            assert not hasattr(clone, '__setstate__')
            clone.__dict__.update(state)
            assert list(clone.params()) == []

    def test_state_of_its_own(self):
        link = Stateful()
        link.cache = 1
        for clone in (copy.deepcopy(link), pickle.loads(pickle.dumps(link))):
            assert clone.cache is None
            assert clone.w.array.shape == (2,)

    def test_deepcopy_and_pickle(self):
        chain = Chain(a=self.link, b=ChainList(Link(y=2)))
        for clone in (copy.deepcopy(chain), pickle.loads(pickle.dumps(chain))):
            assert [p for p, _ in clone.namedparams()] == ['/a/u', '/a/x', '/b/0/y']
            np.testing.assert_array_equal(clone.a.x.array, self.link.x.array)
            assert clone.a.x is not self.link.x
        assert Link.__module__ == Chain.__module__ == 'chainer_fast.link'


class TestParametersAsAWhole:

    def pair(self):
        return [
            Chain(a=make(w=(2,)), b=ChainList(make(v=(3,)), make(v=(1,))))
            for _ in range(2)]

    def test_copyparams(self):
        mine, theirs = self.pair()
        mine.copyparams(theirs)
        for p, q in zip(mine.params(), theirs.params(), strict=True):
            assert p.array is not q.array
            np.testing.assert_array_equal(p.array, q.array)

    def test_copyparams_of_persistent_values(self):
        mine, theirs = Link(), Link()
        for link, value in ((mine, 0.), (theirs, 1.)):
            link.add_persistent('array', np.full(2, value))
            link.add_persistent('number', value)
            link.add_persistent('list', [value])
        mine.add_persistent('none', None)
        theirs.add_persistent('none', np.ones(2))
        array = mine.array
        mine.copyparams(theirs, copy_persistent=False)
        assert (mine.number, mine.none) == (0, None)
        mine.copyparams(theirs)
        assert mine.array is array
        np.testing.assert_array_equal(array, 1)
        assert (mine.number, mine.list) == (1, [1])
        assert mine.list is not theirs.list
        assert mine.none is not theirs.none
        np.testing.assert_array_equal(mine.none, 1)

    def test_structures_have_to_agree(self):
        mine, theirs = self.pair()
        del theirs.a
        with pytest.raises(KeyError, match='a'):
            mine.copyparams(theirs)
        with pytest.raises(IndexError):
            ChainList(Link()).addgrads(ChainList())

    def test_gradients(self):
        mine, theirs = self.pair()
        for link, value in ((mine, 1), (theirs, 2)):
            for param in link.params():
                param.grad = np.full(param.shape, value, 'f')
        mine.addgrads(theirs)
        for param in mine.params():
            np.testing.assert_array_equal(param.grad, 3)
        mine.cleargrads()
        assert all(param.grad is None for param in mine.params())
        with pytest.warns(DeprecationWarning, match='zerograd') as record:
            mine.zerograds()
        assert 'Link.cleargrads' in str(record[0].message)
        for param in mine.params():
            np.testing.assert_array_equal(param.grad, 0)

    def test_update(self):
        link = self.pair()[0]
        assert not link.update_enabled
        link.disable_update()
        for param in link.params():
            param.update_rule = chainer_fast.UpdateRule()
        assert link.update_enabled
        link.disable_update()
        assert not any(p.update_rule.enabled for p in link.params())
        assert not link.update_enabled
        link.a.enable_update()
        assert link.a.w.update_rule.enabled
        assert link.update_enabled
        assert not link.b.update_enabled


class Recorder:
    """A serializer that keeps what it is given, or returns what it has."""

    def __init__(self, stored=None, path=''):
        self.stored, self.path, self.seen = stored, path, {}

    def __getitem__(self, key):
        inner = Recorder(self.stored, self.path + key + '/')
        inner.seen = self.seen
        return inner

    def __call__(self, key, value):
        self.seen[self.path + key] = value
        return value if self.stored is None else self.stored[self.path + key]


class TestSerialize:

    def make(self):
        chain = Chain(a=ChainList(make(w=(2,), u=None)))
        chain.add_persistent('p', 3)
        return chain

    def test_saving(self):
        chain, recorder = self.make(), Recorder()
        chain.serialize(recorder)
        inner = chain.a[0]
        assert list(recorder.seen) == ['p', 'a/0/u', 'a/0/w']
        assert recorder.seen['p'] == 3
        assert recorder.seen['a/0/u'] is None
        assert recorder.seen['a/0/w'] is inner.w.array

    def test_loading(self):
        chain = self.make()
        values = np.arange(6, dtype='d').reshape(2, 3)
        chain.serialize(Recorder({'p': 4, 'a/0/u': values, 'a/0/w': None}))
        inner = chain.a[0]
        assert chain.p == 4
        np.testing.assert_array_equal(inner.u.array, values)
        assert inner.u.dtype == np.float32
        assert inner.w.is_initialized
        chain.serialize(Recorder({'p': 4, 'a/0/u': None, 'a/0/w': None}))
        np.testing.assert_array_equal(inner.u.array, values)


class Visitor(chainer_fast.device_resident.DeviceResidentsVisitor):

    def __init__(self):
        self.seen = []

    def visit_device_resident(self, resident):
        self.seen.append(resident)

    def visit_array(self, array):
        self.seen.append(array)
        return array + 1

    def visit_variable(self, param):
        self.seen.append(param)


class TestDevice:

    def test_visitor(self):
        chain = Chain(a=make(w=(2,)))
        chain.add_persistent('array', np.zeros(2))
        chain.add_persistent('number', 3)
        chain.other = np.zeros(2)
        array, visitor = chain.array, Visitor()
        chain.device_resident_accept(visitor)
        expected = [chain, array, chain.a, chain.a.w]
        assert [id(x) for x in visitor.seen] == [id(x) for x in expected]
        np.testing.assert_array_equal(chain.array, 1)
        np.testing.assert_array_equal(chain.other, 0)

    def test_to_device(self):
        chain = Chain(a=make(w=(2,)))
        assert chain.to_device('@numpy') is chain
        assert chain.a.device == chainer_fast.get_device('@numpy')
        assert chain.xp is np
        with pytest.warns(DeprecationWarning, match='Link.device'):
            assert chain._device_id is None


def test_no_reference_cycles():
    gc.disable()
    try:
        chain = Chain(a=make(w=(2,)), b=ChainList(make(w=(1,))))
        chain.cleargrads()
        refs = [weakref.ref(x) for x in (*chain.links(), *chain.params())]
        del chain
        assert [ref() for ref in refs] == [None] * len(refs)
    finally:
        gc.enable()
