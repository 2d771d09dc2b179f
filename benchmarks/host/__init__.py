"""What a training step on a GPU costs the host, without a GPU.

``python -m benchmarks.host``, or ``make bench-host``, runs chainer_fast on a null
device: :mod:`.null_cupy` takes the place of CuPy, and does nothing. The same steps on
the processor, and PyTorch's, run beside it in turns.
"""
