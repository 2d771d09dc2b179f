"""Names of higher layers that variables use; those layers set them here."""

#: The class of old-style functions.
Function = None
#: The class of conversions between memory layouts.
AsLayout = None
reshape = transpose = average = None


def bind(**objects):
    """Set names of this module; called once for each, at import."""
    globals().update(objects)
