"""The data of a profile: rows of phases, of function classes, and of links."""
import collections
import threading
from time import perf_counter_ns

from chainer_fast._help.command.profile import spans
from chainer_fast.backends import cuda
from chainer_fast.backends._onednn import library


class FunctionRow:
    """Sums over all functions of a class.

    Attributes
    ----------
    calls : int
        How often the function has been applied.
    times : dict of str to int
        Nanoseconds of ``'forward'`` and ``'backward'``.
    bytes : int
        Size of the results of all calls.
    paths : dict of str to Counter
        For each direction, how often which path was taken.
    reasons : Counter
        Why a faster path was not taken.
    """

    def __init__(self):
        self.calls = 0
        self.bytes = 0
        self.times = {'forward': 0, 'backward': 0}
        self.paths = {
            'forward': collections.Counter(), 'backward': collections.Counter()}
        self.reasons = collections.Counter()


class LinkRow:
    """Sums over the calls of a link, including the links that it calls.

    Attributes
    ----------
    kind : str
        Class of the link.
    calls : int
    forward, backward : int
        Nanoseconds in its calls, and in the backward computations of functions applied
        there.
    bytes : int
        Size of the results of functions that were applied there.
    """

    def __init__(self, kind):
        self.kind = kind
        self.calls = self.forward = self.backward = self.bytes = 0


class Frame:
    """A function that is running on the general path.

    Attributes
    ----------
    function : FunctionNode
    forms : set of str
        Forms of kernels that have run: ``'compiled'``, ``'CUDA'``, ``'NumPy'``, ...
    reasons : list of str
        Why kernels did not use their compiled forms.
    served, declined : bool
        Whether the shortcut ran, or examined the arrays and declined.
    """

    def __init__(self, function):
        self.function = function
        self.served = self.declined = False
        self.forms = set()
        self.reasons = []


class Thread:
    """The records of a thread.

    Parameters
    ----------
    traced : bool
        Whether events are kept for a trace.

    Attributes
    ----------
    name : str
    spans : spans.Spans
        Its phases.
    functions : dict of str to FunctionRow
        By the names of classes.
    links : dict of tuple to LinkRow
        By the names of the links that have called one another.
    frame : Frame or None
        The outermost function that is running; functions that it applies count as
        part of it.
    path : tuple of str
        Names of the links that are running.
    declined : object
        The latest function that its shortcut declined to differentiate.
    """

    def __init__(self, traced):
        self.name = threading.current_thread().name
        self.spans = spans.Spans(traced)
        self.functions = collections.defaultdict(FunctionRow)
        self.links = {}
        self.frame = None
        self.path = ()
        self.declined = None
        # Maps ids of functions to the paths of the links that applied them. When an id
        # is reused, its new path is stored before it is looked up.
        self._owners = {}
        self._library_calls = library.counted()

    def see(self, array):
        """Inspect the result of a function, to find out whether a GPU is in use."""
        if self.spans.clock is None and isinstance(array, cuda.ndarray):
            self.spans.watch_device()

    def add(self, function, direction, begin, end, forms, reasons, size=0):
        """Count an outermost function of this thread that has run."""
        elapsed = end - begin
        self.spans.note(function._impl_name, direction, begin, end)
        calls = library.counted()
        if calls != self._library_calls:
            self._library_calls = calls
            forms = {*forms, 'oneDNN'} - {'compiled', 'NumPy'}
        row = self.functions[function._impl_name]
        row.times[direction] += elapsed
        row.paths[direction][' + '.join(sorted(forms, reverse=True)) or 'general'] += 1
        row.reasons.update(reasons)
        if direction == 'forward':
            row.calls += 1
            row.bytes += size
            self._owners[id(function)] = path = self.path
        else:
            path = self._owners.get(id(function), ())
        for depth in range(1, len(path) + 1):
            link = self.links[path[:depth]]
            link.bytes += size
            if direction == 'backward':
                link.backward += elapsed


class Profile:
    """The records of all threads.

    Parameters
    ----------
    traced : bool
        Whether events are kept for a trace.

    Attributes
    ----------
    begin, end : int
        Times of start and stop, in nanoseconds.
    threads : list of Thread
        The first one is the thread that started the profile.
    workers : list of list
        For each process that reads examples: its number, and the begin and the end of
        each of its tasks.
    """

    def __init__(self, traced=False):
        self._traced = traced
        self.start()

    def start(self):
        """Start, and discard earlier records."""
        self._local = threading.local()
        self.threads = []
        self.workers = []
        self.begin = self.end = perf_counter_ns()
        self.here().spans.start(self.begin)

    @property
    def elapsed(self):
        """Nanoseconds from start to stop."""
        return self.end - self.begin

    def stop(self):
        """Count the time up to now."""
        self.end = perf_counter_ns()
        for thread in self.threads:
            thread.spans.stop(self.end)

    def here(self):
        """Return the records of the running thread."""
        try:
            return self._local.thread
        except AttributeError:
            thread = self._local.thread = Thread(self._traced)
            self.threads.append(thread)
            return thread

    def functions(self):
        """Return the rows of functions of all threads, the longest first."""
        found = collections.defaultdict(FunctionRow)
        for thread in self.threads:
            for name, row in thread.functions.items():
                total = found[name]
                total.calls += row.calls
                total.bytes += row.bytes
                total.reasons += row.reasons
                for direction, paths in row.paths.items():
                    total.times[direction] += row.times[direction]
                    total.paths[direction] += paths
        return dict(sorted(
            found.items(), key=lambda item: -sum(item[1].times.values())))

    def links(self):
        """Return the rows of links of all threads, each below its caller."""
        found = {}
        for thread in self.threads:
            for path, row in thread.links.items():
                total = found.setdefault(path, LinkRow(row.kind))
                for name in 'calls', 'forward', 'backward', 'bytes':
                    setattr(total, name, getattr(total, name) + getattr(row, name))
        order = {path: i for i, path in enumerate(found)}
        return dict(sorted(found.items(), key=lambda item: [
            order[item[0][:depth]] for depth in range(1, len(item[0]) + 1)]))
