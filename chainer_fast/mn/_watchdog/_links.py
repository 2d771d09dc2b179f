"""Connections of a process with its neighbours: a tree of sockets.

Both ends of a new connection prove that they know a secret of the job, so that
other programs that find the port are ignored. No port is open afterwards.
"""
import contextlib
import hmac
import json
import os
import secrets
import socket
import struct
import sys
import time

from chainer_fast.mn._watchdog._heart import BEAT

try:
    import fcntl
except ImportError:     # Windows
    fcntl = None

FAN_OUT = 32
_NONCE, _PROOF = 32, 32
_LONGEST = 1 << 20
_ADDRESS_OF_INTERFACE = 0x8915      # SIOCGIFADDR of Linux


def parent_of(position):
    """Return the position in the tree to connect to; that of the root is 0."""
    return (position - 1) // FAN_OUT


def children_of(position, size):
    """Return the positions that connect to this one."""
    first = position * FAN_OUT + 1
    return range(first, max(first, min(first + FAN_OUT, size)))


def machine():
    """Return the identifier of processes that share a loopback interface."""
    parts = [socket.gethostname()]
    # Containers may have the same name, and so may machines.
    with contextlib.suppress(OSError), open(
            '/proc/sys/kernel/random/boot_id', encoding='ascii') as file:
        parts.append(file.read().strip())
    with contextlib.suppress(OSError):
        parts.append(str(os.stat('/proc/self/ns/net').st_ino))
    return ' '.join(parts)


def listen(only_here):
    """Return a listening socket, on the loopback interface or on all interfaces."""
    if only_here:
        return socket.create_server(('127.0.0.1', 0), backlog=FAN_OUT)
    if socket.has_dualstack_ipv6():
        with contextlib.suppress(OSError):      # IPv6 may be turned off
            return socket.create_server(
                ('', 0), family=socket.AF_INET6, dualstack_ipv6=True, backlog=FAN_OUT)
    return socket.create_server(('', 0), backlog=FAN_OUT)


def addresses(only_here):
    """Return the addresses of this machine, the likely reachable ones first."""
    if only_here:
        return ['127.0.0.1']
    found = []
    with contextlib.suppress(OSError):
        for entry in socket.getaddrinfo(
                socket.gethostname(), None, type=socket.SOCK_STREAM):
            found.append(str(entry[4][0]))
    found += _of_interfaces()
    return [one for one in dict.fromkeys(found)
            if not one.startswith(('127.', '::1', 'fe80:'))]


def _of_interfaces():
    """Return addresses that Linux may have without a name for this machine."""
    found: list[str] = []
    if sys.platform != 'linux':
        return found
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        for _, name in socket.if_nameindex():
            with contextlib.suppress(OSError):      # no address
                reply = fcntl.ioctl(asked, _ADDRESS_OF_INTERFACE,
                                    struct.pack('256s', name.encode()[:15]))
                found.append(socket.inet_ntoa(reply[20:24]))
    with contextlib.suppress(OSError), open(
            '/proc/net/if_inet6', encoding='ascii') as file:
        for line in file:
            digits, _, _, scope, *_ = line.split()
            if scope == '00':       # global
                found.append(socket.inet_ntop(socket.AF_INET6, bytes.fromhex(digits)))
    return found


def connect(hosts, port, token, position, seconds):
    """Return a connection with the parent.

    Raises
    ------
    OSError
        If no host responds in time, or none knows the token.
    """
    until, failures = time.monotonic() + seconds, {}
    for patience in 1, seconds:
        for host in hosts:
            left = until - time.monotonic()
            if left <= 0:
                break
            try:
                made = socket.create_connection((host, port), min(patience, left))
            except OSError as error:
                failures[host] = error
                continue
            try:
                nonce = _receive(made, _NONCE)
                mine = secrets.token_bytes(_NONCE)
                place = struct.pack('>I', position)
                made.sendall(place + mine + _proof(token, b'child', nonce, place))
                _check(_receive(made, _PROOF), _proof(token, b'parent', mine))
                return _tuned(made)
            except OSError as error:
                failures[host] = error
                made.close()
    raise OSError('no answer at port %d of %s' % (port, '; '.join(
        '%s (%s)' % item for item in failures.items()) or 'no address'))


def accept(listener, positions, token, seconds):
    """Return the connections of the children by position.

    Raises
    ------
    OSError
        If not all of them connect in time.
    """
    until, found = time.monotonic() + seconds, {}
    while len(found) < len(positions):
        left = until - time.monotonic()
        if left <= 0:
            for made in found.values():
                made.close()
            raise OSError('%d of %d processes did not connect within %d s' % (
                len(positions) - len(found), len(positions), seconds))
        listener.settimeout(left)
        with contextlib.suppress(OSError):
            made, _ = listener.accept()
            try:
                made.settimeout(min(2, left))
                position = _admit(made, token)
                if position not in positions or position in found:
                    raise OSError('a process of another position')
            except OSError:
                made.close()
                continue
            found[position] = _tuned(made)
    return found


def _admit(made, token):
    nonce = secrets.token_bytes(_NONCE)
    made.sendall(nonce)
    place, theirs = _receive(made, 4), _receive(made, _NONCE)
    _check(_receive(made, _PROOF), _proof(token, b'child', nonce, place))
    made.sendall(_proof(token, b'parent', theirs))
    return struct.unpack('>I', place)[0]


def _proof(token, *parts):
    return hmac.digest(token, b' '.join(parts), 'sha256')


def _check(given, expected):
    if not hmac.compare_digest(given, expected):
        raise OSError('the other side does not know the secret of the job')


def _receive(made, size):
    data = b''
    while len(data) < size:
        part = made.recv(size - len(data))
        if not part:
            raise OSError('the connection was closed')
        data += part
    return data


def _tuned(made):
    """Make the system detect within a minute that a machine disappeared."""
    made.settimeout(2)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for name, value in (
            ('TCP_KEEPIDLE', 20), ('TCP_KEEPINTVL', 10), ('TCP_KEEPCNT', 4),
            ('TCP_USER_TIMEOUT', 60_000)):
        if hasattr(socket, name):
            made.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return made


def send(made, message):
    """Send a message, an object of JSON."""
    data = json.dumps(message, ensure_ascii=False).encode(errors='replace')
    made.sendall(struct.pack('>I', len(data)) + data)


class Reader:
    """Messages from the bytes of a connection, without the heartbeats."""

    def __init__(self):
        self._data = b''

    def read(self, made):
        """Return the messages that are complete; None at the end of the connection."""
        part = made.recv(1 << 16)
        if not part:
            return None
        self._data += part
        messages = []
        while True:
            # No message is so long that its length begins with this byte.
            self._data = self._data.lstrip(BEAT)
            if len(self._data) < 4:
                break
            size = struct.unpack('>I', self._data[:4])[0]
            if size > _LONGEST:
                raise OSError('a message of %d bytes' % size)
            if len(self._data) < 4 + size:
                break
            messages.append(json.loads(self._data[4:4 + size]))
            self._data = self._data[4 + size:]
        return messages
