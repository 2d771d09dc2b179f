"""To be written."""


def install(patches):
    pass
