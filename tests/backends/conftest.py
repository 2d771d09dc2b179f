"""The code that chooses GPUs, on machines that have none."""
from tests.doubles.fake_gpus import broken_cupy, gpus  # noqa: F401
