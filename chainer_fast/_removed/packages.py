"""ChainerMN, ChainerX, ONNX-Chainer and CuPy that are gone."""
from chainer_fast._removed.entry import Removed

ENTRIES: tuple[Removed, ...] = (
)
