"""Current libraries, as opposed to old ones."""
import sys

# Libraries whose current releases use the current names: if they look up an old name,
# they test whether it exists.
_OF_TODAY = sys.stdlib_module_names | {
    'chainer', 'chainer_fast', 'chainermn', 'onnx_chainer', 'numpy', 'scipy', 'sklearn',
    'joblib', 'threadpoolctl', 'matplotlib', 'mpl_toolkits', 'PIL', 'h5py', 'yaml',
    'pandas', 'cupy', 'cupyx', 'cupy_backends', 'six', 'google', 'onnx', 'onnxruntime',
    'mpi4py', 'torch', 'tensorflow', 'numba', 'IPython', 'traitlets', 'ipykernel',
    'jedi', 'pytest', '_pytest', 'pluggy', 'hypothesis', 'xdist', 'execnet',
    'setuptools', 'pkg_resources', 'pip', 'packaging', 'dateutil', 'tqdm', 'Cython',
    'cycler', 'kiwisolver', 'pyparsing', 'contourpy', 'fontTools', 'libcst', 'fissix'}


def is_of_today(module):
    """Return whether a module, given by its full name, belongs to a current library."""
    return str(module).partition('.')[0] in _OF_TODAY
