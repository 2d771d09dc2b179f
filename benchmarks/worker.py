"""One side of the comparison: does as told on standard input, answers in JSON."""
import gc
import json
import os
import sys
import time

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import workloads  # noqa: E402


def resident():
    """Return the bytes of memory that the process has in use."""
    with open('/proc/self/statm') as f:
        return int(f.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')


def bytes_per_function(make_graph):
    """Return how much a function of a graph holds, from many graphs alive at once."""
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


def main():
    side = workloads.load(sys.argv[1])
    steps = {}
    for line in sys.stdin:
        task = json.loads(line)
        name = task['workload']
        if task['do'] == 'exists':
            answer = hasattr(side, 'make_' + name)
        elif task['do'] == 'memory':
            answer = bytes_per_function(side.make_graph)
        elif task['do'] == 'check':
            steps[name] = getattr(side, 'make_' + name)()
            values = [np.asarray(steps[name](), np.float64).ravel() for _ in range(3)]
            answer = np.concatenate(values).tolist()
        else:
            step = steps[name]
            begin = time.perf_counter()
            for _ in range(task['count']):
                step()
            answer = (time.perf_counter() - begin) / task['count']
        print(json.dumps(answer), flush=True)


if __name__ == '__main__':
    main()
