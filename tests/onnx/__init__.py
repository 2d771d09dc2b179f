import pytest

# The last one for Python 3.10, 1.23, crashes on float16 and on some forms of Resize.
pytest.importorskip('onnxruntime', '1.24')
