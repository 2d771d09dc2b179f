from chainer_fast.backends.kernels.common.elementwise import Loop

loops: dict[str, Loop]
