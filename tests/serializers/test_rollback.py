"""Objects are loaded as a whole or not at all."""
import collections
import io
import types

import numpy as np
import pytest

import chainer_fast as chainer
from chainer_fast import serializers
from chainer_fast.serializers._rollback import Journal


class Stop(Exception):
    pass


class Slotted:
    __slots__ = 'one', 'two', '__dict__'

    def __init__(self):
        self.one = 1
        self.three = 3

    def serialize(self, serializer):
        self.one = serializer('one', self.one)
        self.two = 5


class Failing:
    """Loads all it can, in all ways there are, and then raises an error."""

    def __init__(self, error=Stop):
        self.error = error
        self.model = chainer.Chain()
        with self.model.init_scope():
            self.model.w = chainer.Parameter(np.zeros((2, 3), np.float32))
            self.model.late = chainer.Parameter()
            self.model.cleared = chainer.Parameter()
        self.model.cleared.cleargrad()
        self.model.add_persistent('count', 0)
        self.model.add_persistent('array', np.zeros(2))
        self.state = types.SimpleNamespace(count=0)
        self.table = {'a': np.zeros(3), 'b': [1, 2]}
        self.ordered = collections.OrderedDict(x=1, y=2)
        self.queue = collections.deque([1, 2])
        self.names = {'one'}
        self.slotted = Slotted()
        self.nested = ({'deep': [Slotted()]},)
        self.view = np.zeros((4, 2))[::2]

    def serialize(self, serializer):
        self.model.serialize(serializer['model'])
        self.state.count = serializer('count', self.state.count)
        self.table['a'] = serializer('a', self.table['a'])
        self.table['b'].append(serializer('b', 3))
        self.table['c'] = serializer('c', None)
        self.ordered.pop('x')
        self.queue.appendleft(serializer('queue', 0))
        self.names.add('two')
        self.slotted.serialize(serializer['slotted'])
        self.nested[0]['deep'][0].serialize(serializer['nested'])
        self.view[:1] = 3
        self.view = serializer('view', self.view)
        self.later = 3
        if isinstance(serializer, chainer.Deserializer) and self.error:
            # What was loaded is there at once.
            assert self.state.count == 7
            assert self.model.w.array[0, 0] == 5
            assert self.slotted.two == 5
            raise self.error


class Full(Failing):

    def __init__(self):
        super().__init__(error=None)
        self.model.w.array[...] = 5
        self.model.late.initialize((2,))
        self.model.cleared.initialize((2,))
        self.model.count = 9
        self.model.array[...] = 6
        self.state.count = 7
        self.table['a'][...] = 8
        self.view[...] = 4


@pytest.mark.parametrize('save,load', [
    (serializers.save_npz, serializers.load_npz),
    (serializers.save_hdf5, serializers.load_hdf5)])
@pytest.mark.parametrize('error', [Stop, KeyboardInterrupt])
def test_all_is_put_back(save, load, error):
    pytest.importorskip('h5py')
    file = io.BytesIO()
    save(file, Full())
    file.seek(0)
    obj = Failing(error)
    old_array, old_attributes = obj.model.w.array, dict(vars(obj))
    with pytest.raises(error):
        load(file, obj)

    assert obj.model.w.array is old_array
    assert not old_array.any()
    late = obj.model.late
    assert late.array is None
    assert not late.is_initialized
    with pytest.raises(RuntimeError):
        late.grad   # noqa: B018
    late.initialize((3,))
    assert np.isnan(late.grad).all()
    assert obj.model.cleared.array is None
    assert obj.model.cleared.grad is None
    assert obj.model.count == 0
    assert not obj.model.array.any()
    assert obj.state.count == 0
    assert list(obj.table) == ['a', 'b']
    assert not obj.table['a'].any()
    assert obj.table['b'] == [1, 2]
    assert list(obj.ordered.items()) == [('x', 1), ('y', 2)]
    assert list(obj.queue) == [1, 2]
    assert obj.names == {'one'}
    for slotted in (obj.slotted, obj.nested[0]['deep'][0]):
        assert slotted.one == 1
        assert not hasattr(slotted, 'two')
        assert slotted.three == 3
    assert vars(obj).keys() == old_attributes.keys()
    assert all(vars(obj)[name] is value for name, value in old_attributes.items())
    # Only what goes through the deserializer is noted before it is changed.
    np.testing.assert_array_equal(obj.view, [[3, 3], [0, 0]])


def test_optimizer_with_its_link_and_rules():
    def make(n, steps):
        optimizer = chainer.optimizers.Adam().setup(chainer.Link(a=(2,), v=(n,)))
        for _ in range(steps):
            for param in optimizer.target.params():
                param.array[...] = 1
                param.grad = np.ones_like(param.array)
            optimizer.update()
        optimizer.epoch = steps
        return optimizer

    file = io.BytesIO()
    serializers.save_npz(file, make(2, 4))
    for steps in (0, 1):
        file.seek(0)
        optimizer = make(3, steps)
        old = [(param.update_rule.t, param.update_rule.state)
               for param in optimizer.target.params()]
        copies = [None if state is None else {k: v.copy() for k, v in state.items()}
                  for _, state in old]
        with pytest.raises(ValueError, match=r"'?v/m.*given BytesIO|of /v .*BytesIO"):
            serializers.load_npz(file, optimizer)
        assert (optimizer.t, optimizer.epoch) == (steps, steps)
        for param, (t, state), copy in zip(
                optimizer.target.params(), old, copies, strict=True):
            assert param.update_rule.t == t
            assert param.update_rule.state is state
            if state is not None:
                for name in copy:
                    np.testing.assert_array_equal(state[name], copy[name])


def test_states_of_other_dtypes_are_refused():
    file = io.BytesIO()
    serializers.save_npz(file, {
        't': np.array(1), 'epoch': np.array(0), 'v/t': np.array(1),
        'v/v': np.array(['a', 'b'])})
    file.seek(0)
    optimizer = chainer.optimizers.MomentumSGD().setup(chainer.Link(v=(2,)))
    with pytest.raises(TypeError, match=r"state 'v' of /v has dtype <U1"):
        serializers.load_npz(file, optimizer)
    assert optimizer.target.v.update_rule.state is None


def test_shared_array_filled_twice():
    array = np.array([1., 2.])

    class Twice:
        def serialize(self, serializer):
            serializer('a', array)
            serializer('b', array)
            if isinstance(serializer, chainer.Deserializer):
                raise Stop

    with pytest.raises(Stop):
        serializers.NpzDeserializer(
            {'a': np.array([3., 4.]), 'b': np.array([5., 6.])}).load(Twice())
    np.testing.assert_array_equal(array, [1, 2])


def test_parts_loaded_by_themselves():
    class Outer:
        def __init__(self):
            self.find = {'inner': Slotted()}.get     # no way leads there

        def serialize(self, serializer):
            serializer['inner'].load(self.find('inner'))
            raise Stop

    outer = Outer()
    with pytest.raises(Stop):
        serializers.NpzDeserializer({'inner/one': np.array(2)}).load(outer)
    assert outer.find('inner').one == 1


def test_large_containers_are_data():
    class Holder:
        def __init__(self):
            self.data = [(i, 0) for i in range(20000)]

    journal = Journal()
    holder = Holder()
    journal.add(holder)
    holder.data[0] = 1
    journal.undo()
    assert holder.data[0] == 1
    assert len(journal._seen) < 10


def test_a_single_value_is_filled_as_a_whole():
    array = np.ones(3)
    deserializer = serializers.NpzDeserializer({'x': np.array([1., 2.])})
    with pytest.raises(ValueError, match="'x' of the given dict has shape"):
        deserializer('x', array)
    np.testing.assert_array_equal(array, 1)


def test_errors_of_programs_say_what_was_loaded(tmp_path):
    class Picky:
        def serialize(self, serializer):
            if serializer('text', '') != 'other':
                raise ValueError('I wanted something else')

    path = str(tmp_path / 'saved')
    serializers.save_npz(path, {'text': np.array('text')})
    with pytest.raises(ValueError) as info:
        serializers.load_npz(path, Picky())
    assert str(info.value) == (
        "I wanted something else (while loading 'text' of %r)" % path)
