"""Launches of kernels."""
import numpy

from tests.doubles.ptx import (  # noqa: F401  each registers its instructions
    addresses,
    approximate,
    atomics,
    bits,
    conversions,
    floats,
    integers,
    kinds,
    memory,
    moves,
    races,
    text,
    threads,
    warps,
)
from tests.doubles.ptx.faults import Fault, Unknown

# Threads that run at once, unless one block has more.
WIDTH = 1 << 14
MOST_PARAMETERS, MOST_SHARED, MOST_THREADS = 4096, 48 << 10, 1024


class Kernel:
    """An entry of a module of PTX.

    Parameters
    ----------
    module : ~tests.doubles.ptx.text.Module
    name : str, optional
        The only one by default.
    """

    def __init__(self, module, name=None):
        entries = [each for each in module.functions.values() if each.kind == 'entry']
        found = [each for each in entries if name in (None, each.name)]
        if len(found) != 1:
            raise ValueError('no one entry %r among %s' % (
                name, [each.name for each in entries]))
        self.module, self.entry = module, found[0]
        self.entry.read()

    @property
    def sizes(self):
        """Bytes of each parameter."""
        return [each.size for each in self.entry.parameters]

    def launch(self, grid, block, arguments, regions, shared=0, error=0.):
        """Run the kernel on memory.

        Parameters
        ----------
        grid, block : tuple of int
            Three numbers each.
        arguments : list of bytes
        regions : list of ~tests.doubles.ptx.memory.Region
            All of the global memory that there is; what is written stays there.
        shared : int
            Bytes of dynamic shared memory.
        error : float
            Errors of approximate functions, as a share of the largest, from -1 to 1.

        Returns
        -------
        Launch

        Raises
        ------
        ~tests.doubles.ptx.faults.Fault
            If the kernel does what it must not, or arguments do not fit.
        ~tests.doubles.ptx.faults.Unknown
            If an instruction is not known.
        """
        sizes = [len(each) for each in arguments]
        if sizes != self.sizes:
            raise Fault('parameters of %s bytes, arguments of %s' % (self.sizes, sizes))
        if sum(sizes) > MOST_PARAMETERS:
            raise Fault('%d bytes of arguments' % sum(sizes))
        threads_of_block = block[0] * block[1] * block[2]
        limits = self.entry.limits
        most = min([MOST_THREADS, *[
            int(numpy.prod(limits[name])) for name in ('maxntid', 'reqntid')
            if name in limits]])
        if not 0 < threads_of_block <= most or block[2] > 64 or min(grid) < 1 or (
                max(grid[1:]) > 65535) or grid[0] > (1 << 31) - 1:
            raise Fault('grid %s, block %s' % (grid, block))
        out = Launch(self, grid, block, regions, shared, error)
        with numpy.errstate(all='ignore'):
            out.run(arguments)
        return out


class Launch(addresses.Addresses):
    """What the threads of a launch share.

    Attributes
    ----------
    races : list of str
        Sentences, one for each pair of instructions; empty if all is well.
    stores : list of (str, numpy.ndarray)
        Types and addresses of what was stored in global memory.
    steps : int
        Instructions that ran.
    """

    def __init__(self, kernel, grid, block, regions, shared, error):
        self.kernel, self.grid, self.block_shape = kernel, grid, block
        self.error = error
        self.block_size = block[0] * block[1] * block[2]
        self.left = threads.MOST_STEPS
        self.stores, self.races = [], []
        self._names, self._parameters, statics = {}, [], []
        at = memory.MODULE
        for variable in kernel.module.variables.values():
            if variable.space == 'shared':
                continue
            at = -(-at // variable.align) * variable.align
            self._names[variable.name] = at
            statics.append(memory.Region(
                at, variable.data.ljust(variable.size, b'\0'), variable.name,
                writable=variable.space != 'const'))
            at += max(variable.size, 1) + 16
        self.memory = memory.Global([*regions, *statics])
        self._shared_size = self._lay_out_shared(shared)
        if self._shared_size > MOST_SHARED:
            raise Fault('%d bytes of shared memory' % self._shared_size)
        self._global_log = races.Log(blocks=True)
        self._shared_log = races.Log(blocks=False)

    @property
    def steps(self):
        return threads.MOST_STEPS - self.left

    def _lay_out_shared(self, dynamic):
        """Give each shared variable its address; dynamic ones come last."""
        variables = [each for each in (
            *self.kernel.module.variables.values(), *self.kernel.entry.variables)
            if each.space == 'shared']
        at = 0
        for variable in sorted(variables, key=lambda each: each.dynamic):
            at = -(-at // variable.align) * variable.align
            self._names[variable.name] = at
            at += variable.size
        has_dynamic = any(each.dynamic for each in variables)
        return at + dynamic if has_dynamic or dynamic else at

    def run(self, arguments):
        total = self.grid[0] * self.grid[1] * self.grid[2]
        step = max(1, WIDTH // self.block_size)
        parameters = {}
        for variable, value in zip(
                self.kernel.entry.parameters, arguments, strict=True):
            space = memory.Space(variable.size, 1)
            space.copies()[0] = numpy.frombuffer(value, 'u1')
            parameters[variable.name] = space, True
            self._names[variable.name] = len(self._parameters) << 16
            self._parameters.append(space)
        for first in range(0, total, step):
            self._begin(first, min(step, total - first))
            threads.Threads(
                self, self.kernel.entry, numpy.arange(self.count), parameters).run()
            self.races += self._shared_log.find()
        self.races = sorted({*self.races, *self._global_log.find()})

    def _begin(self, first, blocks):
        """Set up some blocks."""
        size = self.block_size
        self.first, self.blocks, self.count = first, blocks, blocks * size
        lane = numpy.arange(self.count)
        self.block, place = lane // size, lane % size
        of_block = -(-size // 32)
        self.warp = self.block * of_block + place // 32
        self.warps = blocks * of_block
        self.lanes_of_warps = numpy.zeros(self.warps, 'u4')
        self._special = {'laneid': (place % 32).astype('u4')}
        numpy.bitwise_or.at(self.lanes_of_warps, self.warp,
                            numpy.uint32(1) << self._special['laneid'])
        for names, shape, at in (('tid', self.block_shape, place),
                                 ('ctaid', self.grid, self.block + first)):
            below = 1
            for axis, n in zip('xyz', shape, strict=True):
                self._special['%s.%s' % (names, axis)] = (at // below % n).astype('u4')
                self._special['n%s.%s' % (names, axis)] = numpy.full(
                    self.count, n, 'u4')
                below *= n
        self.block_times = numpy.zeros(self.count, 'i8')
        self.warp_times = numpy.zeros(self.count, 'i8')
        # Shared memory holds anything, as other memory does.
        self._shared = memory.Space(self._shared_size, blocks)
        self._locals = []

    def special(self, name):
        """Return a special register of all threads."""
        if name not in self._special:
            raise Unknown('special register %%%s' % name)
        return self._special[name]

    def space(self, variable, count):
        """Return memory of some threads for a variable."""
        return memory.Space(variable.size, count), False

    def address(self, t, name, where):
        """Return the address of a variable, in its space."""
        if name in self._names:
            return self._names[name]
        found = t.spaces.get(name)
        if found is None or not any(
                each.name == name and each.space == 'local'
                for each in t.function.variables):
            raise Unknown('name %r: %s' % (name, where))
        for number, (space, _) in enumerate(self._locals):
            if space is found[0]:
                return number << 24
        rows = numpy.full(self.count, -1)
        rows[t.lanes] = numpy.arange(t.count)
        self._locals.append((found[0], rows))
        return len(self._locals) - 1 << 24

    def call(self, t, name, names, n_values, where):
        """Run a function for some threads of another one."""
        function = self.kernel.module.functions.get(name)
        if function is None:
            if name == '__assertfail':
                raise Fault('failed an assertion')
            raise Unknown('function %r: %s' % (name, where))
        function.read()
        formal = [*function.parameters, *function.results]
        if len(formal) != len(names) or n_values != len(function.parameters):
            raise Unknown('arguments of %r: %s' % (name, where))
        spaces, rows = {}, t.owners()
        for i, (variable, actual) in enumerate(zip(formal, names, strict=True)):
            given, _ = t.parameter(actual, where)
            if given.size != variable.size:
                raise Fault('argument %d of %r has %d bytes, not %d' % (
                    i, name, given.size, variable.size))
            spaces[variable.name] = self.space(variable, len(rows))
            if i < n_values:
                spaces[variable.name][0].copies()[:] = given.copies()[rows]
        before = len(self._locals)
        inner = threads.Threads(self, function, t.active_lanes(), spaces)
        inner.run()
        del self._locals[before:]
        for variable, actual in zip(function.results, names[n_values:], strict=True):
            t.spaces[actual][0].copies()[rows] = spaces[variable.name][0].copies()
