"""cuDNN's frontend is the stand-in, or not there."""
from tests.doubles.host_cudnn.fixtures import frontend, no_frontend  # noqa: F401
