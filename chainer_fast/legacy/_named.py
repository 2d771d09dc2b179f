"""Whether the user named a version, so that its meanings hold."""


def is_named(patches, version):
    """Return whether a version up to the given one was named.

    A meaning that ``version`` was the last to have is also that of the versions before.
    """
    return any(part[0] == 'v' and part <= version for part in patches.named)
