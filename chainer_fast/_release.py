"""Version of this distribution; ``chainer_fast.__version__`` is Chainer's."""
__version__ = '0.1.0'
