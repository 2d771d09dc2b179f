"""Libraries of today, as opposed to those of earlier years."""
import sys

# Libraries whose releases of today know today's names: where they look for an old one,
# they want to know whether it is there.
_OF_TODAY = sys.stdlib_module_names | {
    'chainer', 'chainer_fast', 'chainermn', 'onnx_chainer', 'numpy', 'scipy', 'sklearn',
    'joblib', 'threadpoolctl', 'matplotlib', 'mpl_toolkits', 'PIL', 'h5py', 'yaml',
    'pandas', 'cupy', 'cupyx', 'cupy_backends', 'six', 'google', 'onnx', 'onnxruntime',
    'mpi4py', 'torch', 'tensorflow', 'numba', 'IPython', 'traitlets', 'ipykernel',
    'jedi', 'pytest', '_pytest', 'pluggy', 'hypothesis', 'xdist', 'execnet',
    'setuptools', 'pkg_resources', 'pip', 'packaging', 'dateutil', 'tqdm', 'Cython',
    'cycler', 'kiwisolver', 'pyparsing', 'contourpy', 'fontTools', 'libcst', 'fissix'}


def is_of_today(module):
    """Whether a module, by its full name, belongs to a library of today."""
    return str(module).partition('.')[0] in _OF_TODAY
