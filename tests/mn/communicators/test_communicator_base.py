import pytest

from chainer_fast.mn.communicators import communicator_base

ABSTRACT = communicator_base.CommunicatorBase.__abstractmethods__


class _Recorder(communicator_base.CommunicatorBase):
    def __init__(self):
        super().__init__()
        self.calls = []


def _record(name):
    return lambda self, *args: self.calls.append((name, args))


Communicator = type(
    'Communicator', (_Recorder,), {name: _record(name) for name in ABSTRACT})


def test_abstract_methods():
    assert {
        'allgather', 'allreduce', 'allreduce_obj', 'alltoall', 'bcast', 'bcast_data',
        'bcast_obj', 'gather', 'gather_obj', 'multi_node_mean_grad', 'recv', 'recv_obj',
        'scatter', 'send', 'send_obj', 'split'} == ABSTRACT


def test_old_names():
    comm = Communicator()
    comm.broadcast_data('model')
    with pytest.warns(DeprecationWarning, match='allreduce_grad'):
        comm.allreduce_grad('model', True)
    assert comm.calls == [
        ('bcast_data', ('model',)), ('multi_node_mean_grad', ('model', True))]


def test_settings():
    comm = Communicator()
    assert not comm.within_config_scope
    with comm.config_scope():
        assert comm.within_config_scope
        comm.speed = 3
    comm.other = 4
    assert not comm.within_config_scope
    assert comm.get_config('speed') == comm.speed == 3
    assert comm.get_config() == {'speed': 3}
    with pytest.raises(KeyError):
        comm.get_config('other')
    with pytest.raises(ValueError, match='Unknown config: speed'):
        comm.set_config('speed')
    assert Communicator().get_config() == {}


def test_scope_ends_with_an_error():
    comm = Communicator()
    with pytest.raises(ZeroDivisionError), comm.config_scope():
        raise ZeroDivisionError
    assert not comm.within_config_scope


def test_settings_of_a_class_without_initializer():
    class Lazy(Communicator):
        def __init__(self):
            pass

    comm = Lazy()
    with comm.config_scope():
        comm.speed = 3
    assert comm.get_config() == {'speed': 3}
    with pytest.raises(AttributeError, match='nothing'):
        comm.nothing()


@pytest.mark.parametrize('name', [
    'rank', 'size', 'intra_rank', 'intra_size', 'inter_rank', 'inter_size'])
def test_ranks(name):
    with pytest.raises(NotImplementedError):
        getattr(Communicator(), name)


def test_finalize():
    assert Communicator().finalize() is None
