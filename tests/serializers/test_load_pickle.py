"""What load_pickle admits and refuses; old files are in test_old_files.py."""
import collections
import copyreg
import datetime
import functools
import io
import os
import pickle
import sys

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import chainer_fast as chainer
from chainer_fast import functions as F
from chainer_fast import links as L
from chainer_fast import testing
from chainer_fast.links.caffe import CaffeFunction
from chainer_fast.serializers import load_pickle

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


def load(content, **options):
    return load_pickle(io.BytesIO(content), **options)


def round_trip(obj, protocol=2, **options):
    return load(pickle.dumps(obj, protocol), **options)


def build(module, name, state, args=()):
    """Return the pickle of an object that is made by NEWOBJ and gets a state."""
    return b'\x80\x02c%s\n%s\n%s\x81%sb.' % (
        module.encode(), name.encode(), pickle.dumps(args, 2)[2:-1],
        pickle.dumps(state, 2)[2:-1])


class Model(chainer.Chain):

    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.l = L.Linear(3, 2)

    class Inner:
        pass


class Refusing:
    def __setstate__(self, state):
        raise KeyError('of the class itself')

    def __getstate__(self):
        return {'x': 1}


def rebuild(x):
    return ['rebuilt', x]


class Rebuilt:
    def __reduce__(self):
        return rebuild, (3,)


HERE = __name__


@pytest.fixture
def witness(monkeypatch):
    """Return a list of what hostile pickles have run; it stays empty."""
    ran = []
    monkeypatch.setattr(os, 'system', lambda *args: ran.append(args))
    return ran


def refused(content, match, witness=(), **options):
    modules = set(sys.modules)
    with pytest.raises(pickle.UnpicklingError, match=match):
        load(content, **options)
    assert not witness
    assert set(sys.modules) - modules == set()


# ---- what loads


@pytest.mark.parametrize('protocol', PROTOCOLS)
def test_objects_of_today(protocol):
    optimizer = chainer.optimizers.Adam().setup(L.Classifier(L.Linear(3, 2)))
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(.1))
    x, t = np.ones((2, 3), 'f'), np.zeros(2, 'i')
    optimizer.update(optimizer.target, x, t)
    loaded = round_trip(optimizer, protocol)
    for found in loaded, optimizer:
        np.random.seed(0)
        found.update(found.target, x, t)
    np.testing.assert_array_equal(
        loaded.target.predictor.W.array, optimizer.target.predictor.W.array)
    assert loaded.target.predictor.W.update_rule.t == 2


@pytest.mark.parametrize('protocol', PROTOCOLS)
def test_plain_objects(protocol):
    values = [
        None, True, 3, 2 ** 80, 1.5, 2j, 'text', b'bytes', b'', bytearray(b'x'), (1,),
        {'a': [1]}, {1, 2}, frozenset({3}), slice(1, 2), range(3), Ellipsis,
        collections.OrderedDict(a=1), collections.defaultdict(list, a=[1]),
        collections.deque([1], 3), collections.Counter('aab'), np.float32, int]
    assert round_trip(values, protocol) == values
    partial = round_trip(functools.partial(F.max_pooling_2d, ksize=2), protocol)
    assert (partial.func, partial.keywords) == (F.max_pooling_2d, {'ksize': 2})


@pytest.mark.parametrize('protocol', PROTOCOLS)
@pytest.mark.parametrize('array', [
    np.arange(6, dtype='f').reshape(2, 3), np.asfortranarray(np.ones((2, 3))),
    np.arange(3, dtype='>i2'), np.array(2.5), np.zeros((0, 3)), np.array([True]),
    np.array(['a', 'bcd']), np.array([b'a']), np.array([None, (1, 'x')], object),
    np.zeros(2, [('a', 'f4'), ('b', '>i8', (2,))]),
    np.array(['2020-02-03'], 'M8[D]'), np.array([3], 'm8[25s]'),
    np.zeros(2, np.dtype({'names': ['x'], 'formats': ['i2'], 'offsets': [3],
                          'itemsize': 9})), np.float16(2), np.int64(-3),
    np.datetime64('2020-02-03')], ids=repr)
def test_arrays(array, protocol):
    found = round_trip([array, array, array.dtype], protocol)
    assert type(found[0]) is type(array)
    assert found[2] == array.dtype
    # NumPy turns other byte orders to that of the machine.
    assert found[0].dtype == pickle.loads(pickle.dumps(array, protocol)).dtype
    assert found[0] is found[1]
    np.testing.assert_array_equal(found[0], array)


@pytest.mark.parametrize('protocol', PROTOCOLS)
def test_random_states(protocol):
    random = np.random.RandomState(3)
    random.normal()
    loaded = round_trip(random, protocol)
    assert loaded.normal() == random.normal()
    assert loaded.randint(1 << 30) == random.randint(1 << 30)


def test_from_a_path(tmp_path):
    path = tmp_path / 'x.pkl'
    path.write_bytes(pickle.dumps([1]))
    assert load_pickle(path) == load_pickle(str(path)) == [1]
    path.write_bytes(pickle.dumps(os.system))
    with pytest.raises(pickle.UnpicklingError, match=r"x\.pkl' names (posix|nt)"):
        load_pickle(path)
    with pytest.raises(FileNotFoundError):
        load_pickle(tmp_path / 'missing')


# A pickle of Python 2: text is bytes, and stays so in the other encoding.
def test_encoding():
    content = b"S'\\xe4'\np0\n."
    assert load(content) == '\xe4'
    assert load(content, encoding='bytes') == b'\xe4'
    with pytest.raises(pickle.UnpicklingError, match='damaged'):
        load(content, encoding='ascii')


# What cupy.ndarray.__reduce__ gives, in releases of Chainer's time and today's.
@pytest.mark.parametrize('module', ['cupy.core.core', 'cupy._core.core'])
def test_arrays_of_cupy(module):
    inner = pickle.dumps(np.ones(3, 'f'), 0)[:-1]
    found = load(b'c%s\narray\n(%stR.' % (module.encode(), inner))
    np.testing.assert_array_equal(chainer.cuda.to_cpu(found), np.ones(3, 'f'))


@pytest.mark.skipif(chainer.cuda.available, reason='there is a GPU')
def test_devices_where_there_is_no_gpu():
    link = L.Linear(3, 2)
    state = {key: value for key, value in vars(link).items()}
    state.update(_cpu=False, _device_id=1)
    content = b'cchainer.links.connection.linear\nLinear\n)\x81' + pickle.dumps(
        state, 2)[2:-1] + b'b.'
    loaded = load(b'\x80\x02' + content)
    assert loaded.device == chainer.get_device('@numpy')
    assert not hasattr(loaded, '_cpu')
    by_number = b'cchainer_fast.backends.cuda\nGpuDevice\n'
    assert load(b'cbuiltins\ngetattr\n(%sS"from_device_id"\ntR(I0\ntR.' % by_number
                ) == chainer.get_device('@numpy')
    # A device with a device of CuPy in it, as Chainer 6 and 7 pickle.
    inner = b'\x80\x02(cchainer.backends.cuda\nGpuDevice\n)\x81q\x01}X\6\0\0\0device'
    found = load(inner + b'ccupy.cuda.device\nDevice\nK\0\x85Rsbh\x01l.')
    assert found == [chainer.get_device('@numpy')] * 2


def test_extensions_and_iterators_of_chainer_7():
    """Those of which no pickle is among the old files."""
    shift = load(build('chainer.training.extensions.linear_shift', 'LinearShift', {
        '_attr': 'lr', '_t': 1, '_optimizer': None, '_last_value': 3.,
        '_value_range': (2., 4.), '_time_range': (0, 2)}))
    optimizer = chainer.optimizers.SGD(lr=1).setup(L.Linear(1, 1))
    shift._optimizer = optimizer
    shift.initialize(None)
    assert optimizer.lr == 3
    shift(None)
    assert optimizer.lr == 4
    average = load(build('chainer.training.extensions.micro_average', 'MicroAverage', {
        '_numerator_key': 'a', '_denominator_key': 'b', '_result_key': 'c',
        '_numerator': 0, '_denominator': 0}))
    assert (average._numerator_key, average._denominator_key) == ('a', 'b')
    iterator = load(build(
        'chainer.iterators.multithread_iterator', 'MultithreadIterator', {
            'dataset': [3, 4], '_shuffle': False, '_previous_epoch_detail': -1.,
            'order_sampler': None, 'batch_size': 1, 'n_threads': 1, '_next': None,
            '_pool': None, 'repeat': True, '_repeat': True, 'current_position': 1,
            'epoch': 2, 'is_new_epoch': False, '_order': None}))
    assert (iterator.next(), iterator.next(), iterator.epoch) == ([4], [3], 3)
    iterator.finalize()


# ---- what the user admits


@pytest.mark.parametrize('allow', [
    HERE + '.Model', [HERE + '.Model'], Model, (Model,), HERE + '.*',
    HERE.split('.')[0] + '.*'])
def test_classes_of_the_user(allow):
    model = Model()
    loaded = round_trip(model, allow=allow)
    assert type(loaded) is Model
    np.testing.assert_array_equal(loaded.l.W.array, model.l.W.array)


def test_nested_classes_of_the_user():
    for allow in HERE + '.Model.Inner', HERE + '.*', Model.Inner:
        assert type(round_trip(Model.Inner(), 4, allow=allow)) is Model.Inner
    refused(pickle.dumps(Model.Inner(), 4), r'Model\.Inner', allow=Model)


def test_functions_of_the_user():
    assert round_trip(Rebuilt(), allow=rebuild) == ['rebuilt', 3]
    assert round_trip(Rebuilt(), allow=HERE + '.rebuild') == ['rebuilt', 3]
    assert round_trip([rebuild], allow=HERE + '.*') == [rebuild]
    # A module as a whole: what its functions do is not known.
    refused(pickle.dumps(Rebuilt()), 'a call of <function rebuild', allow=HERE + '.*')
    assert round_trip(np.tanh, 4, allow='numpy.tanh') is np.tanh


def test_errors_of_classes_of_the_user():
    with pytest.raises(KeyError, match='of the class itself'):
        round_trip(Refusing(), allow=Refusing)
    refused(b'c%s\nNoModel\n.' % HERE.encode(), 'NoModel does not exist',
            allow=HERE + '.NoModel')
    with pytest.raises(TypeError, match='allow accepts names'):
        load(b'N.', allow=[3])


@pytest.mark.parametrize('name', [
    'os', 'os.system', 'Model.forward', 'pickle.loads', 'CaffeFunction', 'load_pickle'])
def test_a_module_does_not_admit_what_it_imports(name, witness):
    content = b'\x80\x04\x8c%c%s\x8c%c%s\x93\x8c\x02ls\x85R.' % (
        len(HERE), HERE.encode(), len(name), name.encode())
    refused(content, name.split('.')[0], witness, allow=HERE + '.*')


def test_a_name_does_not_admit_what_is_below_it():
    refused(b'c%s_evil\nModel\n.' % HERE.encode(), '_evil', allow=HERE + '.*')
    refused(b'c%s\nModelEvil\n.' % HERE.encode(), 'ModelEvil', allow=HERE + '.Model')


def test_a_class_of_chainer_that_opens_files(tmp_path):
    path = tmp_path / 'x'
    path.write_text('a\nb\n')
    dataset = chainer.datasets.TextDataset(str(path))
    content = pickle.dumps(dataset, 2)
    match = r"allow=\('chainer_fast\.datasets\.text_dataset\.TextDataset',\)"
    refused(content, match)
    for allow in chainer.datasets.TextDataset, (
            'chainer.datasets.text_dataset.TextDataset'):
        content = content.replace(b'chainer_fast', b'chainer')
        loaded = load(content, allow=allow)
        assert loaded[1] == 'b\n'
        loaded.close()
    dataset.close()


# ---- what is refused


class Calls:
    """Pickles as a call."""

    def __init__(self, *reduced):
        self.reduced = reduced

    def __reduce__(self):
        return self.reduced


@pytest.mark.parametrize('protocol', PROTOCOLS)
@pytest.mark.parametrize('reduced', [
    (os.system, ('ls',)), (eval, ('1',)), (exec, ('1',)), (__import__, ('this',)),
    (getattr, (os, 'system')), (open, ('/tmp/never', 'w')), (np.load, ('x',)),
    (np.fromfile, ('x',)), (pickle.loads, (b'N.',)), (map, (os.system, ['ls'])),
    (np.testing.assert_equal, (1, 1)), (functools.partial, (os.system, 'ls')),
    (testing.run_module, ('m', 'f')), (datetime.date, (2020, 1, 1)),
    (copyreg.add_extension, ('os', 'system', 3)), (type, ('X', (), {})),
    (chainer.dataset.cached_download, ('http://x',)),
    (chainer.serializers.load_npz, ('x', None)), (F.relu, (np.ones(2),)),
    (L.Linear, (3, 2)), (CaffeFunction, ('x',)), (object, ()), (str, ('x',)),
    (chainer.training.extensions.snapshot, ()), (np.ndarray, ((1 << 40,),)),
])
def test_calls(reduced, protocol, witness):
    content = pickle.dumps(Calls(*reduced), protocol) if reduced[0] is not getattr \
        else b'cbuiltins\ngetattr\n(cposix\nsystem\nS"x"\ntR.'
    refused(content, 'names|cannot be made', witness)


@pytest.mark.parametrize('content, match', [
    # Names with dots, and names that are no texts.
    (b'\x80\x04\x8c\x0cchainer.link\x8c\ncopy.copy_\x93.', 'copy.copy_'),
    (b'\x80\x04\x8c\x07chainer\x8c\x0bos.__dict__\x93.', 'os.__dict__'),
    (b'\x80\x04K\x01K\x02\x93.', 'requires str'),
    (b'\x80\x04\x8c\x0cchainer.link\x8c\x04copy\x93.', r'chainer\.link\.copy'),
    (b'cchainer\nos\n.', r'chainer\.os'),
    (b'cchainer_fast.alias\ninstall\n.', 'install'),
    (b'cchainer_fast.alias.shim.chainer\nx\n.', 'shim'),
    (b'cnumpy.f2py\nmain\n.', r'numpy\.f2py\.main'),
    (b'cchainer.functions.math.sum\nnumpy\n.', 'numpy'),
    (b'cchainer.datasets.pickle_dataset\nPickleDataset\n)\x81.', 'PickleDataset'),
    (b'cchainer.functions.util.forget\nforget\n.', 'forget'),
    # Extension codes and objects outside.
    (b'\x80\x02\x82\x01.', 'number 1'), (b'Pwhere\n.', 'outside'),
    (b'K\x01Q.', 'outside'), (b'\x80\x05\x97.', 'buffer'),
    # States of what the file has not made.
    (b'cchainer.link\nLink\n}X\1\0\0\0xK\1sb.', 'a state for'),
    (b'cchainer.functions.activation.relu\nrelu\n}X\1\0\0\0xK\1sb.', 'a state for'),
    (b'cbuiltins\nint\n}X\1\0\0\0xK\1sb.', 'a state for'),
    (b'cchainer.dataset.convert\nconcat_examples\n}X\1\0\0\0xK\1sb.', 'a state for'),
    (b'K\x01}b.', 'a state of'), (b'N}b.', 'a state of'),
    # Objects that are created in another way.
    (b'cnumpy\nndarray\n(K\x05t\x81.', 'created in another way'),
    (b'cfunctools\npartial\ncchainer.links\nLinear\n\x85\x81.', 'names'),
    (b'ccopyreg\n__newobj__\n(cbuiltins\nint\nK\1tR.', 'created in another way'),
    (b'ccopyreg\n_reconstructor\n(cbuiltins\nint\ncbuiltins\nint\nK\1tR.',
     'created in another way'),
    (b'(K\x03ichainer.links.connection.linear\nLinear\n.', 'a call of'),
    (b'(cchainer.links.connection.linear\nLinear\nK\x03o.', 'a call of'),
    (b'K\x01(tR.', 'a call of'), (b'N(t\x81.', 'created in another way'),
    # Broken files.
    (b'', 'damaged'), (b'\x80\x02', 'damaged'), (b'no pickle', 'damaged'), (
        b'.', 'damaged'), (b'\x80\x63N.', 'damaged'), (b'h\x05.', 'Memo'),
    (b'cnumpy\ndtype\n(X\5\0\0\0f4,f4tR.', 'dtype'),
    (b'c_codecs\nencode\n(X\1\0\0\0xX\5\0\0\0rot13tR.', 'encode'),
], ids=repr)
def test_streams(content, match, witness):
    refused(content, match, witness)


def test_a_file_gives_no_methods():
    content = build('chainer.iterators.serial_iterator', 'SerialIterator', {
        '_state': None, 'finalize': F.relu})
    refused(content, "'finalize' as a value")


def test_a_sampler_is_a_sampler():
    """Loading may call it."""
    for sampler in F.relu, functools.partial(F.relu), L.Linear(2, 3), np.float32, 3:
        for state in {'order_sampler': sampler}, {'init': {'order_sampler': sampler}}:
            refused(build('chainer.iterators.multiprocess_iterator',
                          'MultiprocessIterator', state),
                    'in the place of .*OrderSampler')


def test_a_state_is_not_set_by_another_object():
    """An attribute that is looked up in a parent would be the parent's method."""
    hyperparam = pickle.dumps({'_parent': np.zeros(3)}, 2)[2:-1]
    state = pickle.dumps(np.zeros(5).__reduce__()[2], 2)[2:-1]
    content = b'\x80\x02cchainer.optimizer\nHyperparameter\n)\x81%sb%sb.' % (
        hyperparam, state)
    refused(content, 'cannot be made')


def test_a_class_of_chainer_as_a_value():
    """Nothing can make an object with arguments of the file."""
    for name in 'links.caffe.caffe_function CaffeFunction', 'link Link':
        module, name = name.split()
        found, = load(b'\x80\x02cchainer.%s\n%s\n\x85.' % (
            module.encode(), name.encode()))
        assert not callable(found)
        with pytest.raises(AttributeError, match=r"allow=\('chainer_fast\."):
            found.mro()
    refused(b'cfunctools\npartial\n(cchainer.link\nLink\ntR.', 'partial')
    partial = pickle.dumps(functools.partial(F.relu), 2)[:-1]
    refused(partial + b'(cchainer.link\nLink\n)}NtR.', 'call of|damaged')
    refused(partial + b'(cchainer.link\nLink\n)}Ntb.', 'partial call')


@pytest.mark.parametrize('change', [
    lambda state: (1, (1 << 40,), *state[2:]), lambda state: (1, (-1,), *state[2:]),
    lambda state: (1, (3,), np.dtype('O'), False, [1]),
    lambda state: (1, (1,), np.dtype('O'), False, b'12345678'),
    lambda state: (1, (1,), np.dtype([('x', 'O')]), False, b'12345678'),
    lambda state: (1, (3,), 'f4', False, b'123'), lambda state: None])
def test_states_of_arrays(change):
    state = change(np.ones(3, 'f').__reduce__()[2])
    content = pickle.dumps(state, 2)[2:-1]
    refused(b'\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85'
            b'C\x01b\x87R' + content + b'b.', 'cannot be made')


def test_states_of_random_states():
    key = np.zeros(624, np.uint32)
    for state in (('MT19937', key, 10 ** 6, 0, 0.), ('MT19937', key[:3], 3, 0, 0.),
                  ('PCG64', key, 3, 0, 0.), ('MT19937', key, -1, 0, 0.)):
        content = pickle.dumps(state, 2)[2:-1]
        refused(b'\x80\x02cnumpy.random\n__RandomState_ctor\n)R' + content + b'b.',
                'cannot be made')


def test_states_of_dtypes_do_not_change_those_of_numpy():
    before = np.dtype('f4')
    content = pickle.dumps((3, '>', None, None, None, -1, -1, 0), 2)[2:-1]
    start = b'\x80\x02(cnumpy\ndtype\nX\2\0\0\0f4\x85Rq0'
    assert load(start + content + b'bh0l.') == [np.dtype('>f4')] * 2
    assert np.dtype('f4') is before
    assert before.isnative
    for state in ((3, '?', None, None, None, -1, -1, 0), (3, '<'),
                  (3, '|', None, ('x',), {'x': (3, 0)}, 8, 1, 0),
                  (3, '|', None, ('x',), {'x': (np.dtype('f8'), 4)}, 8, 1, 0)):
        refused(start + pickle.dumps(state, 2)[2:-1] + b'bl.', 'cannot be made')


# ---- anything


VALID = pickle.dumps([L.Linear(2, 2), np.ones(3), F.relu, {1: 'x'}], 2)


@hypothesis.settings(deadline=None, max_examples=300)
@hypothesis.given(st.data())
def test_damaged_files(data):
    """Whatever bytes change: an object, or this error and no other."""
    content = bytearray(VALID)
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(
            st.integers(0, 255))
    try:
        load(bytes(content[:data.draw(st.integers(0, len(content)))]))
    except (pickle.UnpicklingError, MemoryError):
        pass


_OPCODES = [
    b'\x81', b'R', b'b', b't', b'\x85', b'(', b'}', b'N', b'K\x01', b's', b'a', b'e',
    b'u', b'0', b'2', b'q\x01', b'h\x01', b')', b']', b'\x93', b'o', b'l', b'd',
    b'X\x01\0\0\0x', b'X\x04\0\0\0data', b'\x92', b'\x8f', b'\x90',
    b'cchainer.links.connection.linear\nLinear\n', b'cchainer.variable\nVariable\n',
    b'cchainer.link\nChainList\n', b'cchainer.variable\n_recover_parameter\n',
    b'cnumpy\nndarray\n', b'cnumpy\ndtype\n', b'cnumpy.core.multiarray\n_reconstruct\n',
    b'ccollections\ndefaultdict\n', b'cfunctools\npartial\n', b'ccopyreg\n__newobj__\n',
    b'cchainer.functions.activation.relu\nrelu\n', b'cbuiltins\ngetattr\n',
    b'cchainer.optimizers.adam\nAdam\n', b'cposix\nsystem\n', b'cbuiltins\neval\n']


@hypothesis.settings(deadline=None, max_examples=500)
@hypothesis.given(st.lists(st.sampled_from(_OPCODES), max_size=20))
def test_any_program(opcodes):
    """Nothing but objects, or this error, comes of any program of a pickle."""
    try:
        load(b'\x80\x04' + b''.join(opcodes) + b'.')
    except pickle.UnpicklingError:
        pass
