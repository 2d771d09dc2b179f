"""Outcomes of many calls, as the folders of odd calls record them."""


def grouped(named):
    """Return the outcomes of pairs of a name and an outcome, with the names of each."""
    found = []
    for name, outcome in named:
        for each, names in found:
            if each == outcome:
                names.append(name)
                break
        else:
            found.append((outcome, [name]))
    return found
