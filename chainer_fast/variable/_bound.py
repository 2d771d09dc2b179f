"""Names of higher layers that variables use; those layers set them here."""

import typing as tp

#: The class of old-style functions.
Function: tp.Any = None
#: The class of conversions between memory layouts.
AsLayout: tp.Any = None
reshape: tp.Any = None
transpose: tp.Any = None
average: tp.Any = None


def bind(**objects):
    """Set names of this module; called once for each, at import."""
    globals().update(objects)
