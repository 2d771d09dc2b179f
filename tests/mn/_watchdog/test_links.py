import secrets
import socket
import threading
import time

import pytest

from chainer_fast.mn._watchdog import _links


@pytest.mark.parametrize('size', [1, 2, 33, 34, 40, 1100])
def test_tree(size):
    children = {}
    for position in range(size):
        for child in _links.children_of(position, size):
            assert _links.parent_of(child) == position
            children[child] = position
        assert len(_links.children_of(position, size)) <= _links.FAN_OUT
    assert sorted(children) == list(range(1, size))


def accepted(positions, token, visits, seconds=5):
    """Return the connections of a listener that gets these visits, in this order."""
    with _links.listen(True) as listener:
        port = listener.getsockname()[1]
        visitors = []

        def visit():
            for one in visits:
                visitors.append(one(port))

        thread = threading.Thread(target=visit)
        thread.start()
        try:
            return _links.accept(listener, positions, token, seconds), visitors
        finally:
            thread.join()
            for one in visitors:
                if one is not None:
                    one.close()


def stranger(data):
    def visit(port):
        made = socket.create_connection(('127.0.0.1', port))
        made.sendall(data)
        return made
    return visit


def member(position, token):
    def visit(port):
        try:
            return _links.connect(['127.0.0.1'], port, token, position, 3)
        except OSError:
            return None
    return visit


def test_children_connect():
    token = secrets.token_bytes(32)
    found, visitors = accepted({1, 2}, token, [member(2, token), member(1, token)])
    assert sorted(found) == [1, 2]
    assert None not in visitors
    for one in found.values():
        one.close()


def test_strangers_are_not_listened_to():
    token = secrets.token_bytes(32)
    found, visitors = accepted({1}, token, [
        stranger(b''), stranger(b'GET / HTTP/1.1\r\n' + b' ' * 100),
        member(1, secrets.token_bytes(32)), member(7, token), member(1, token)])
    assert sorted(found) == [1]
    assert visitors[2] is None      # nor does it believe the other side
    found[1].close()


def test_a_child_does_not_come():
    with pytest.raises(OSError, match='1 of 1 processes did not connect'):
        accepted({1}, bytes(32), [], seconds=.2)


def test_parent_cannot_be_reached():
    with socket.create_server(('127.0.0.1', 0)) as listener:
        port = listener.getsockname()[1]
    began = time.monotonic()
    with pytest.raises(OSError, match=r'port %d of 127.0.0.1 \(' % port):
        _links.connect(['127.0.0.1'], port, bytes(32), 1, 2)
    assert time.monotonic() - began < 10


def test_second_address_is_tried():
    token = secrets.token_bytes(32)
    found, visitors = accepted({1}, token, [
        lambda port: _links.connect(['127.0.0.1', 'localhost'], port, token, 1, 3)])
    assert sorted(found) == [1]
    found[1].close()


def test_addresses():
    assert _links.addresses(True) == ['127.0.0.1']
    for address in _links.addresses(False):
        family = socket.AF_INET6 if ':' in address else socket.AF_INET
        socket.inet_pton(family, address)
        assert not address.startswith('127.')


def test_messages_arrive_in_pieces():
    here, there = socket.socketpair()
    with here, there:
        _links.send(there, {'kind': 'left', 'counts': {'a': 1}})
        _links.send(there, {'trace': 'é\udc80' * 20000})
        there.shutdown(socket.SHUT_WR)
        reader, messages = _links.Reader(), []
        while True:
            some = reader.read(here)
            if some is None:
                break
            messages += some
        assert messages == [
            {'kind': 'left', 'counts': {'a': 1}}, {'trace': 'é?' * 20000}]


def test_nonsense_ends_a_connection():
    here, there = socket.socketpair()
    with here, there:
        there.sendall(b'\xff' * 20)
        with pytest.raises(OSError, match='a message of 4294967295 bytes'):
            _links.Reader().read(here)
