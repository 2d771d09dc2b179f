"""A folder for ``sys.path`` in which chainer and chainerx refer to this package."""
