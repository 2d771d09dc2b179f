"""One side of the comparison, which takes commands and answers in JSON.

Its arguments are the name of the side and how many processors it gets: all of them if
that is empty.
"""
import gc
import json
import os
import sys
import time

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import groups  # noqa: E402
import sides  # noqa: E402
import workloads  # noqa: E402


def resident():
    """Return the bytes of memory used by the process."""
    with open('/proc/self/statm') as f:
        return int(f.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')


def bytes_per_function(make_graph):
    """Return the memory of a function in a graph, from many graphs alive at once."""
    forward = make_graph()
    keep = [forward() for _ in range(10)]
    gc.collect()
    before = resident()
    graphs = 200
    keep += [forward() for _ in range(graphs)]
    gc.collect()
    used = resident() - before
    del keep
    return used / (graphs * workloads.CHAIN * 3)


def peak(step):
    """Return the peak memory of three steps, without the memory in use before."""
    gc.collect()
    # Linux forgets the highest use so far.
    with open('/proc/self/clear_refs', 'w') as f:
        f.write('5')
    before = resident()
    for _ in range(3):
        step()
    with open('/proc/self/status') as f:
        highest, = [line.split()[1] for line in f if line.startswith('VmHWM')]
    return int(highest) * 1024 - before


def make_step(side, kind, name):
    """Return the step of a workload, or None if the side has none.

    Parameters
    ----------
    side : workloads.ChainerWorkloads or the like
    kind : str
        Name of the side.
    name : str
        Name of the workload.
    """
    if groups.group_of(name) is None:
        if kind in sides.COMPILERS:
            return None
        make = getattr(side, 'make_' + name, None)
        return make and make()
    if isinstance(side, workloads.ChainerWorkloads) and side.device.xp is not np:
        return None     # The groups' arrays are NumPy's.
    if kind in ('chainer_fast', 'onednn'):
        kind = 'chainer'
    return groups.make_step(name, kind, side.library)


def results(step):
    """Return lists of numbers on which all sides must agree."""
    if hasattr(step, 'check'):
        arrays = step.check()
    else:
        arrays = [np.asarray(step(), np.float64).ravel() for _ in range(3)]
    return [None if a is None else a.tolist() for a in arrays]


def main():
    kind, count = sys.argv[1:]
    if count and hasattr(os, 'sched_setaffinity'):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:int(count)])
    side = workloads.load(kind)
    steps = {}
    for line in sys.stdin:
        task = json.loads(line)
        name = task['workload']
        if task['do'] == 'exists':
            steps = {name: make_step(side, kind, name)}
            answer = steps[name] is not None
        elif task['do'] == 'forget':
            answer = steps.clear()
        elif task['do'] == 'peak':
            answer = peak(steps[name])
        elif task['do'] == 'memory':
            answer = bytes_per_function(side.make_graph)
        elif task['do'] == 'work':
            import work
            answer = work.count(steps[name])
        elif task['do'] == 'speeds':
            import work
            answer = work.speeds(task['count'])
        elif task['do'] == 'check':
            begin = time.perf_counter()
            answer = {'arrays': results(steps[name])}
            # Compilers work in these first calls.
            answer['seconds'] = time.perf_counter() - begin
            answer['refused'] = getattr(steps[name], 'refused', str)()
        else:
            step = steps[name]
            time.sleep(task['wait'])
            begin = time.perf_counter()
            for _ in range(task['count']):
                step()
            answer = (time.perf_counter() - begin) / task['count']
        print(json.dumps(answer), flush=True)


if __name__ == '__main__':
    main()
