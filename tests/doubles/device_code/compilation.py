"""Sources of kernels, compiled by NVRTC with the options of CuPy."""
import ctypes
import functools
import glob
import gzip
import hashlib
import json
import pathlib
import site

import batches

CACHE = pathlib.Path(__file__).parents[3] / 'build' / 'nvrtc'


def load_nvrtc():
    """Load the NVRTC that pip installs, which CuPy 13 does not look for."""
    for folder in site.getsitepackages():
        for path in sorted(glob.glob(folder + '/nvidia/cuda_nvrtc/lib/lib*.so*')):
            ctypes.CDLL(path, ctypes.RTLD_GLOBAL)


@functools.cache
def version():
    import cupy
    from cupy.cuda import nvrtc
    return 'CuPy %s, NVRTC %d.%d' % (cupy.__version__, *nvrtc.getVersion())


def compile_source(architecture, source, options, expressions):
    """Compile a source for an architecture by NVRTC.

    Returns
    -------
    ptx : str or None
    names : dict or None
        What name expressions are called there.
    error : str or None
        What NVRTC says if it does not compile.
    """
    from cupy._core import core
    from cupy.cuda import compiler
    options = (*core.assemble_cupy_compiler_options(options), '-ftz=true')
    if hasattr(compiler, '_get_extra_include_dir_opts'):
        options += compiler._get_extra_include_dir_opts()
    # CuPy asks the driver for the architecture of its card.
    compiler._get_arch_for_options_for_nvrtc = lambda arch=None: (
        '-arch=sm_' + arch, 'ptx')
    try:
        # With the architecture of a card, it makes the machine's code as well.
        ptx, names = compiler.compile_using_nvrtc(
            source, options, architecture, name_expressions=expressions)
    except compiler.CompileException as error:
        return None, None, str(error)
    return ptx.decode() if isinstance(ptx, bytes) else ptx, names, None


def path_of(architecture, source):
    """Return where it is kept what NVRTC says of a source with its options."""
    return CACHE / hashlib.sha256(
        repr((version(), architecture, source, 'ptx')).encode()).hexdigest()[:32]


def compile_batch(job):
    """Compile each source of a batch, and keep the PTX for some architectures.

    Of each source that compiles there is a file (:func:`path_of`), with its PTX, the
    namespace it is in there, if it is in one, and what names its name expressions have.

    Returns
    -------
    list of str or None
        What NVRTC says of those that do not compile.
    """
    architecture, batch, keeps = job
    paths = [path_of(architecture, each) for each in batch]
    new = [(each, path) for each, path in zip(batch, paths, strict=True)
           if not path.exists() or keeps and not path.stat().st_size]
    errors = {}
    if len(new) > 1:
        (_, options, expressions), _ = new[0]
        source = batches.together([source for (source, *_), _ in new])
        ptx, names, error = compile_source(architecture, source, options, expressions)
        if error is None:
            for i, (_, path) in enumerate(new):
                _keep(path, keeps and batches.alone(ptx, i), 'kernel_%d' % i, names)
            new = []
    for each, path in new:
        ptx, names, errors[each] = compile_source(architecture, *each)
        if errors[each] is None:
            _keep(path, keeps and ptx, None, names)
    return [errors.get(each) for each in batch]


def _keep(path, ptx, namespace, names):
    """Write that a source compiles, and its PTX if it is to be kept."""
    kept = {'ptx': ptx, 'namespace': namespace, 'names': names}
    path.write_bytes(gzip.compress(json.dumps(kept).encode(), 3) if ptx else b'')
