"""Labels of odd values, shapes and dtypes, beside the released Chainer."""
