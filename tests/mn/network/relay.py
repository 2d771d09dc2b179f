"""A wire with latency that loses packets, between interfaces of several namespaces.

Arguments: the process that holds the namespace of each address, as JSON; the latency in
seconds; and the share of packets that are lost. It ends with its standard input.

The kernel hands TCP segments of one connection over in bunches of up to 64 KiB, which
is what makes a gigabit in Python possible. Each segment is lost by itself, as on a
wire: what is left of the bunch goes on as bunches.
"""
import collections
import contextlib
import fcntl
import json
import os
import random
import select
import socket
import struct
import sys
import time

_TUNSETIFF, _TUNSETOFFLOAD = 0x400454CA, 0x400454D0
_IFF_TUN, _IFF_NO_PI, _IFF_VNET_HDR = 0x1, 0x1000, 0x4000
_TUN_F_CSUM, _TUN_F_TSO4 = 1, 2
_GSO_NONE, _GSO_TCPV4 = 0, 1

#: flags, kind of bunch, bytes of headers, bytes of a segment, and two of checksums.
_BUNCH = struct.Struct('=BBHHHH')
_LARGEST = 1 << 17
_MOST_WAITING = 64 << 20    # bytes on the way to one host; more are lost


def interface(pid, name):
    """Return a file of an interface in the namespace of a process."""
    with open('/proc/%d/ns/net' % pid) as space, open('/proc/self/ns/net') as home:
        _enter(space)
        try:
            file = os.open('/dev/net/tun', os.O_RDWR | os.O_NONBLOCK)
            fcntl.ioctl(file, _TUNSETIFF, struct.pack(
                '16sH22x', name.encode(), _IFF_TUN | _IFF_NO_PI | _IFF_VNET_HDR))
            fcntl.ioctl(file, _TUNSETOFFLOAD, _TUN_F_CSUM | _TUN_F_TSO4)
        finally:
            _enter(home)
    return file


def _enter(space):
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(space.fileno(), 0x40000000):
        raise OSError(ctypes.get_errno(), 'setns')


def checksum(header):
    """Return the checksum of a header of IP whose own is zero."""
    total = sum(struct.unpack('>%dH' % (len(header) // 2), header))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def part_of(packet, begin, end):
    """Return the bunch of some segments of a bunch.

    Parameters
    ----------
    packet : bytes
        With the header of the kernel.
    begin, end : int
        The numbers of the segments.
    """
    flags, _, headers, segment, start, offset = _BUNCH.unpack_from(packet)
    inner = packet[_BUNCH.size:]
    ip = 4 * (inner[0] & 15)
    tcp = 4 * (inner[ip + 12] >> 4)
    data = inner[ip + tcp:]
    last = end * segment >= len(data)
    data = data[begin * segment:end * segment]
    head = bytearray(inner[:ip + tcp])
    struct.pack_into('>H', head, 2, len(head) + len(data))
    struct.pack_into('>H', head, 10, 0)
    struct.pack_into('>H', head, 10, checksum(bytes(head[:ip])))
    sequence, = struct.unpack_from('>I', head, ip + 4)
    struct.pack_into('>I', head, ip + 4, (sequence + begin * segment) & 0xFFFFFFFF)
    if not last:
        head[ip + 13] &= ~0x09      # neither the end nor a push
    several = len(data) > segment
    return _BUNCH.pack(
        flags, _GSO_TCPV4 if several else _GSO_NONE, headers,
        segment if several else 0, start, offset) + head + data


def survivors(packet, loss, draw):
    """Return the bunches that are left when each segment may be lost."""
    _, kind, _, segment, _, _ = _BUNCH.unpack_from(packet)
    if kind == _GSO_NONE:
        return [] if draw() < loss else [packet]
    ip = 4 * (packet[_BUNCH.size] & 15)
    size = len(packet) - _BUNCH.size - ip - 4 * (packet[_BUNCH.size + ip + 12] >> 4)
    count = -(-size // segment)
    lost = [number for number in range(count) if draw() < loss]
    if not lost:
        return [packet]
    edges = [-1, *lost, count]
    return [part_of(packet, before + 1, after)
            for before, after in zip(edges, edges[1:], strict=False)
            if after > before + 1]


def main(places, latency, loss):
    files = {socket.inet_aton(address): interface(pid, 'eth0')
             for address, pid in places.items()}
    print('there', flush=True)
    draw = random.Random(0).random
    poll = select.poll()
    for file in files.values():
        poll.register(file, select.POLLIN)
    poll.register(0, select.POLLIN)
    # All have the same latency, so their order is that of time.
    waiting = collections.deque()
    amount = 0
    while True:
        pause = None
        if waiting:
            pause = max(waiting[0][0] - time.monotonic(), 0) * 1e3
        for file, _ in poll.poll(pause):
            if file == 0:
                return
            # Several at once: a call of poll takes as long as one of them.
            for _ in range(16):
                try:
                    packet = os.read(file, _LARGEST)
                except OSError:     # no more, or the interface is down
                    break
                to = files.get(packet[_BUNCH.size + 16:_BUNCH.size + 20])
                if to is None or amount > _MOST_WAITING:
                    continue
                due = time.monotonic() + latency
                for each in survivors(packet, loss, draw) if loss else (packet,):
                    waiting.append((due, to, each))
                    amount += len(each)
        now = time.monotonic()
        while waiting and waiting[0][0] <= now:
            _, to, packet = waiting.popleft()
            amount -= len(packet)
            with contextlib.suppress(OSError):      # the other interface is down
                os.write(to, packet)


if __name__ == '__main__':
    main(json.loads(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]))
