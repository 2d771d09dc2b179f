"""Run kernels that NVRTC has compiled, as PTX, and compare them with g++'s.

The launches that a run of the tests on the stand-in for CuPy has kept are repeated by
the interpreter of PTX, on the same memory::

    HOST_CUPY_INSTANCES=build/kernels.json HOST_CUPY_LAUNCHES=build/launches \\
        pytest -m gpu tests
    replay.py --architectures 75 90 --keep-ptx 75 90 -- build/kernels.json
    run.py build/kernels.json build/launches

The last two commands run with a Python that has CuPy 14 and NVRTC. A kernel without a
launch is an error, and so are differences, what the interpreter refuses, and races.
"""
import argparse
import collections
import functools
import gc
import gzip
import json
import multiprocessing
import os
import pathlib
import re
import sys
import time

import compilation
import differences
import replay

from tests.doubles.device_code import launches
from tests.doubles.ptx import faults, launch, memory, text

# How far off approximate functions are for each, as a share of what they may be.
ARCHITECTURES = {'75': 1., '90': -1.}
_TARGET = re.compile(r'^\.target.*$', re.M)


@functools.lru_cache(4)
def _module(ptx):
    """Return a module; most are the same for all architectures."""
    return text.Module(ptx)


@functools.lru_cache(16)
def _kernel_of(line, architecture):
    """Return the kernel of a recorded instance."""
    instance = json.loads(line)
    _, *source = replay.sources_of(instance)[0]
    path = compilation.path_of(architecture, tuple(source))
    if not path.exists():
        raise faults.Fault('NVRTC has not compiled it for sm_' + architecture)
    kept = json.loads(gzip.decompress(path.read_bytes()))
    module, name = _module(_TARGET.sub('.target any', kept['ptx'])), (
        instance['init']['name'])
    if kept['names']:
        name = kept['names'][name]
    elif kept['namespace']:
        # As the compiler writes names in namespaces.
        begin = '_ZN%d%s%d%sE' % (
            len(kept['namespace']), kept['namespace'], len(name), name)
        name, = [each for each, function in module.functions.items()
                 if function.kind == 'entry' and each.startswith(begin)]
    return launch.Kernel(module, name)


def _sizes(kept):
    """Return the grid, block and arguments with which CuPy launches the kernel.

    Those of reductions have more threads there than on the stand-in. CuPy makes the
    stride larger where neighbours lie next to each other, which is left out here.
    """
    grid, block, args = kept['grid'], kept['block'], list(kept['args'])
    if kept['instance']['kind'] != 'reduction':
        return grid, block, args
    size, out_size = [int.from_bytes(arg[:8], 'little') for arg in args[-3:-1]]
    stride = 1
    while 2 * stride * max(size // out_size, 1) <= replay.BLOCK_SIZE:
        stride *= 2
    args[-1] = stride.to_bytes(4, 'little')
    return (-(-out_size // stride), 1, 1), (replay.BLOCK_SIZE, 1, 1), args


def repeat(kept, architecture):
    """Run a launch that was kept as PTX.

    Returns
    -------
    list of str
        What is wrong.
    """
    kernel = _kernel_of(json.dumps(kept['instance'], sort_keys=True), architecture)
    regions = [memory.Region(address, data) for address, data in zip(
        kept['addresses'], kept['before'], strict=True)]
    try:
        grid, block, args = _sizes(kept)
        done = kernel.launch(grid, block, args, regions, kept['shared_memory'],
                             error=ARCHITECTURES[architecture])
    except (faults.Fault, faults.Unknown) as error:
        return ['%s: %s' % (type(error).__name__, error)]
    return done.races + differences.find(done.stores, regions, kept)


def _run(path):
    """Return (key, what is wrong by architecture, seconds) of a kept launch."""
    begin = time.perf_counter()
    kept = launches.read(path)
    wrong = {}
    for architecture in ARCHITECTURES:
        try:
            found = repeat(kept, architecture)
        except Exception as error:
            found = ['%s: %s' % (type(error).__name__, error)]
        if found:
            wrong[architecture] = found
    return path, kept['instance']['init']['name'], kept['test'], wrong, (
        time.perf_counter() - begin)


def main():
    """Run all kept launches; exit with 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument('instances', help='file of recorded kernels')
    parser.add_argument('launches', help='folder of kept launches', type=pathlib.Path)
    parser.add_argument('--processes', type=int, default=os.cpu_count())
    parser.add_argument('--slowest', type=int, default=0, help='how many to print')
    args = parser.parse_args()
    compilation.load_nvrtc()
    with open(args.instances) as file:
        kernels = {launches.key_of(each): each for each in map(json.loads, set(file))}
    paths = [path for path in sorted(args.launches.glob('*/*'))
             if path.parent.name in kernels]
    begin = time.perf_counter()
    # Cycles go with their process.
    gc.disable()
    with multiprocessing.Pool(args.processes, maxtasksperchild=40) as pool:
        results = list(pool.imap_unordered(_run, paths, chunksize=8))
    failures = collections.defaultdict(list)
    for path, name, test, wrong, _ in results:
        for architecture, found in wrong.items():
            failures[name, '\n'.join(found)].append((architecture, path, test))
    for (name, found), places in sorted(failures.items()):
        architectures = sorted({architecture for architecture, *_ in places})
        print('WRONG %s as PTX of sm_%s, %d launches\n%s\n    %s\n    %s\n' % (
            name, ', sm_'.join(architectures), len(places), found, places[0][1],
            places[0][2]))
    for _, name, test, _, seconds in sorted(
            results, key=lambda each: -each[-1])[:args.slowest]:
        print('%.2f s %s %s' % (seconds, name, test))
    ran = {path.parent.name for path in paths}
    # Those that tests of the stand-in make need no launch.
    missing = sorted({kernels[key]['init']['name'] for key in kernels if key not in ran
                      and kernels[key]['made_at']})
    for name in missing:
        print('NEVER RAN as PTX: %s' % name)
    print('%d kernels of %d ran as PTX of sm_%s in %d launches, in %.0f s; wrong: %d, '
          'never ran: %d' % (
              len(ran), len(kernels), ', sm_'.join(ARCHITECTURES), len(paths),
              time.perf_counter() - begin, len(failures), len(missing)))
    return 1 if failures or missing else 0


if __name__ == '__main__':
    sys.exit(main())
