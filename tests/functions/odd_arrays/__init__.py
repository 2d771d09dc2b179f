"""Arrays of no elements or axes and of several dtypes, beside the released Chainer."""
