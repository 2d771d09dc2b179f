"""Names of higher layers that variables use; those layers set them here."""

from typing import Any

#: The class of old-style functions.
Function: Any = None
#: The class of conversions between memory layouts.
AsLayout: Any = None
reshape: Any = None
transpose: Any = None
average: Any = None


def bind(**objects):
    """Set names of this module; called once for each, at import."""
    globals().update(objects)
