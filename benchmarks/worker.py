"""One side of the comparison, which takes commands and answers in JSON."""
import gc
import json
import os
import sys
import time

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import groups  # noqa: E402
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
    """Return the most memory that three steps take beside what is there before."""
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


def make_step(side, name):
    """Return the step of a workload, or None if the side has none."""
    if groups.group_of(name) is None:
        make = getattr(side, 'make_' + name, None)
        return make and make()
    if isinstance(side, workloads.ChainerWorkloads):
        if side.device.xp is not np:
            return None     # The groups' arrays are NumPy's.
        return groups.make_step(name, 'chainer', side.chainer)
    if isinstance(side, workloads.TorchWorkloads):
        return groups.make_step(name, 'torch', side.torch)
    return groups.make_step(name, 'numpy', None)


def results(step):
    """Return lists of numbers on which all sides must agree."""
    if hasattr(step, 'check'):
        arrays = step.check()
    else:
        arrays = [np.asarray(step(), np.float64).ravel() for _ in range(3)]
    return [None if a is None else a.tolist() for a in arrays]


def main():
    side = workloads.load(sys.argv[1])
    steps = {}
    for line in sys.stdin:
        task = json.loads(line)
        name = task['workload']
        if task['do'] == 'exists':
            steps = {name: make_step(side, name)}
            answer = steps[name] is not None
        elif task['do'] == 'forget':
            answer = steps.clear()
        elif task['do'] == 'peak':
            answer = peak(steps[name])
        elif task['do'] == 'memory':
            answer = bytes_per_function(side.make_graph)
        elif task['do'] == 'check':
            answer = results(steps[name])
        else:
            step = steps[name]
            begin = time.perf_counter()
            for _ in range(task['count']):
                step()
            answer = (time.perf_counter() - begin) / task['count']
        print(json.dumps(answer), flush=True)


if __name__ == '__main__':
    main()
