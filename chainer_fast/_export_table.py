"""What a package of many small modules gives, written down as a table.

A table has a string for each subpackage. It names the modules, separated by blanks,
and after a colon what a module gives, unless that is just the object of its own name.
``a=b`` gives ``a`` under the name ``b``.
"""
import importlib


def load(package, table):
    """Import every module of a table; return what they give, by name.

    Parameters
    ----------
    package : str
        Full name of the package.
    table : dict
        Entries by the name of the subpackage, which may have dots.

    Returns
    -------
    dict
        Objects by the names that the package gives them.
    """
    found = {}
    for family, entries in table.items():
        for entry in entries.split():
            name, _, given = entry.partition(':')
            module = importlib.import_module('.'.join([package, family, name]))
            for attribute in (given or name).split(','):
                attribute, _, alias = attribute.partition('=')
                found[alias or attribute] = getattr(module, attribute)
    return found
