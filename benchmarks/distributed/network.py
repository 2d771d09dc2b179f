"""Measure updates between two hosts with a slow or a bad network between them.

The hosts are namespaces of this machine, one process on each, so it needs root,
iproute2 and two idle processors. An exchange is compared with the
bound of the link: bytes of the gradients / (bandwidth * 1448 / 1514), and the latency
twice, once to agree and once for the data. Updates are those with a computation that
leaves the processor free, as one of a GPU does, and with real forward and backward
passes on the processor, which take about --share times the exchange. Hidden is the
part that double buffering saves of what an update takes beyond one of a process alone;
the last exchange of a round, behind which nothing is computed, is left out.
"""
import argparse
import json
import os
import signal
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, ROOT)

from tests.mn.network import hosts  # noqa: E402

_LARGE = 4096, 65536, 33554432
_BUFFERS = {'net.ipv4.tcp_wmem': '%d %d %d' % _LARGE,
            'net.ipv4.tcp_rmem': '%d %d %d' % _LARGE,
            'net.ipv4.tcp_slow_start_after_idle': '0'}

LINKS = {
    '1G': ('1 Gbit/s', {}),
    '1G-20ms': ('1 Gbit/s, 20 ms', {'latency': .02}),
    '1G-20ms-buffers': (
        '1 Gbit/s, 20 ms, buffers of 32 MiB', {'latency': .02, 'settings': _BUFFERS}),
    '1G-20ms-loss': (
        '1 Gbit/s, 20 ms, 1 % loss', {'latency': .02, 'loss': .01}),
    '1G-20ms-loss-buffers': (
        '1 Gbit/s, 20 ms, 1 % loss, buffers of 32 MiB',
        {'latency': .02, 'loss': .01, 'settings': _BUFFERS}),
    '100M': ('100 Mbit/s', {'rate': 1e8}),
}


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        '--links', nargs='+', choices=LINKS, default=list(LINKS), help='default: all')
    parser.add_argument(
        '--sizes', type=float, nargs='+', default=[1e6, 25e6], metavar='N',
        help='numbers of parameters (default: 1e6 25e6)')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument(
        '--steps', type=int, default=5, help='updates of a round, 2 or more')
    parser.add_argument('--share', type=float, default=1.2, metavar='S')
    parser.add_argument(
        '--kinds', nargs='+', choices=['wait', 'train'], default=['wait', 'train'])
    parser.add_argument(
        '--exchange', choices=['auto', 'mpi', 'pipelined'], default='auto')
    return parser.parse_args()


def measure(setting, size, options):
    """Return what a job of two processes measured."""
    task = {'do': 'overlap', 'size': size, 'rounds': options.rounds,
            'communicators': ['flat'], 'share': options.share,
            'more': [options.steps, options.kinds]}
    with hosts.Network(2, **setting) as network:
        done = network.run(
            (1, 1), os.path.join(HERE, 'worker.py'), json.dumps(task), timeout=600,
            env={'CHAINERMN_EXCHANGE': options.exchange, 'PYTHONWARNINGS': 'ignore',
                 'PYTHONPATH': os.pathsep.join([os.path.join(ROOT, 'compat'), ROOT])})
    if done.returncode:
        sys.exit('a job failed:\n' + done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def main():
    options = arguments()
    # What is on the way is removed then, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    problem = hosts.missing()
    if problem is not None:
        sys.exit('no network of namespaces: ' + problem)
    control = subprocess.run(
        ['sysctl', '-n', 'net.ipv4.tcp_congestion_control'], capture_output=True,
        text=True).stdout.strip()
    print('%d processors here; TCP with %s\n' % (os.cpu_count(), control))
    heads = ('parameters', 'network', 'bound ms', 'exchange ms', 'computation',
             'alone ms', 'update ms', 'with double buffering ms', 'hidden')
    print('| %s |\n|%s' % (' | '.join(heads), ' --- |' * len(heads)), flush=True)
    for size in map(int, options.sizes):
        for name in options.links:
            title, setting = LINKS[name]
            found = measure(setting, size, options)
            bound = (4 * size * 8 / setting.get('rate', 1e9) * 1514 / 1448
                     + 2 * setting.get('latency', 0.))
            for kind in options.kinds:
                alone, plain, hidden = (
                    statistics.median(found[kind][one])
                    for one in ('alone', 'update', 'double buffering'))
                words = {'wait': 'waits', 'train': 'on the processor'}[kind]
                cells = [
                    '%g million' % (size / 1e6), title, '%.0f' % (1e3 * bound),
                    '%.0f' % (1e3 * found['exchange']), words,
                    '%.0f' % (1e3 * alone), '%.0f' % (1e3 * plain),
                    '%.0f' % (1e3 * hidden),
                    '%.0f %%' % (100 * (plain - hidden) / (plain - alone)
                                 * options.steps / (options.steps - 1))]
                print('| %s |' % ' | '.join(cells), flush=True)


if __name__ == '__main__':
    main()
