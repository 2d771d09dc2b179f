"""Compare the two ways to execute a graph, with the real frontend and no card.

    python tests/doubles/host_cudnn/executions.py

cuDNN plans graphs as in :mod:`without_driver`. A library around it notes what each
execution is given instead of carrying it out: the engine, the numbers and addresses of
the tensors, and the workspace. Prints a line of JSON for each graph, with what the
public call gave, what the fast one gave, and microseconds of each.
"""
import ctypes
import json
import pathlib
import subprocess
import tempfile
import timeit

import numpy as np
import without_driver

SOURCE = '''
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

int64_t made, count, places, uids[16];
void *engine, *addresses[16], *workspace;

int cudnnCreate(void **handle) { *handle = &made; return 0; }
int cudnnGetStream(void *handle, void **stream) { *stream = 0; return 0; }

/* Attributes of variant packs, which cannot be asked for. */
int cudnnBackendSetAttribute(
    void *descriptor, int name, int type, int64_t n, const void *values)
{
  int (*next)(void *, int, int, int64_t, const void *) =
      dlsym(RTLD_NEXT, "cudnnBackendSetAttribute");
  if (name == 1000) {
    memcpy(uids, values, 8 * (count = n));
  } else if (name == 1001) {
    memcpy(addresses, values, 8 * (places = n));
  } else if (name == 1003) {
    memcpy(&workspace, values, 8);
  }
  return next(descriptor, name, type, n, values);
}

int cudnnBackendExecute(void *handle, void *plan, void *pack) {
  engine = plan;
  return handle != &made || count != places;
}
'''


def library_around(libraries, folder):
    """Return the library that is asked for what is not in cuDNN."""
    source, path = folder / 'around.c', folder / 'libaround.so'
    source.write_text(SOURCE)
    subprocess.run(
        ['cc', '-shared', '-fPIC', '-Wl,--no-as-needed', '-o', path, source,
         '-L', libraries, '-l:libcudnn.so.9', '-ldl',
         '-Wl,-rpath,%s' % libraries], check=True)
    return ctypes.CDLL(str(path))


def given(library):
    """Return what the last execution was given."""
    def value(kind, name):
        return kind.in_dll(library, name)
    count = value(ctypes.c_int64, 'count').value
    assert count == value(ctypes.c_int64, 'places').value
    uids = value(ctypes.c_int64 * 16, 'uids')[:count]
    addresses = value(ctypes.c_void_p * 16, 'addresses')[:count]
    return (value(ctypes.c_void_p, 'engine').value,
            sorted(zip(uids, addresses, strict=True)),
            value(ctypes.c_void_p, 'workspace').value)


def compare(library, plan, graph, handle):
    """Return the line of a graph that has been planned."""
    from chainer_fast.backends._cudnn import executions
    addresses = [0x10000 * (i + 1) for i in range(len(graph.names))]
    fast = executions.find(graph.native, len(addresses), handle)
    ways = {'public': lambda: graph.native.execute(
        dict(enumerate(addresses, 1)), 0x1000000, handle=handle)}
    if fast is not None:
        ways['fast'] = lambda: fast(addresses, 0x1000000)
    found = {'tensors': len(addresses), 'index': plan.index}
    for name, call in ways.items():
        call()
        found[name] = given(library)
        found[name + ' us'] = 1e3 * min(timeit.repeat(call, number=1000, repeat=5))
        addresses[:] = [address + 16 for address in addresses]
        call()
        assert given(library) != found[name]
        addresses[:] = [address - 16 for address in addresses]
    return found


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        libraries = without_driver.load(folder)
        import cudnn

        from chainer_fast.backends._cudnn import (
            batch_normalization,
            convolution,
            graphs,
            library,
            plans,
        )
        around = library_around(libraries, folder)
        cudnn._compiled_module._set_dlhandle_cudnn(around._handle)
        library._module, handle = cudnn, cudnn.create_handle()
        properties = without_driver.properties('H100')
        shapes = (32, 64, 56, 56), (64, 64, 3, 3), (32, 64, 56, 56), *[(1, 1)] * 4
        for describe, facts, in (
                (convolution._forward, shapes), (convolution._biased, shapes),
                (batch_normalization._forward, batch_normalization._ORDINARY),
                (batch_normalization._backward, batch_normalization._ORDINARY)):
            graph = graphs.Graph(np.dtype('f'), False, device_property=properties)
            describe(graph, *facts)
            plan = plans.Plan(graph, False, True, 1 << 30)
            # Not the one that was built last.
            chosen, *others = list(zip(plan._engines(), range(2), strict=False))
            graph.native.build_plan_at_index(chosen[0])
            plan.index = chosen[0]
            print(json.dumps({
                'graph': describe.__name__, 'others': len(others),
                **compare(around, plan, graph, handle)}), flush=True)


if __name__ == '__main__':
    main()
