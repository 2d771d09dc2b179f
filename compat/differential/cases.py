"""Chooses the cases of a seed: valid calls, and changes of them."""

import fnmatch
import random

from compat.differential import mutations, proposals, specs

# How many changes a case has; without one it is as it is.
_COUNTS = (0, 1, 1, 1, 1, 1, 1, 2, 2, 3)


class Cases:
    """The cases of a seed, each found by its number.

    Every name gets as many cases as any other, whatever the number of its
    specifications.
    """

    def __init__(self, seed, only='*'):
        self.seed = seed
        self._by_name = {}
        for base in specs.all_cases():
            if fnmatch.fnmatchcase(base['name'], only):
                self._by_name.setdefault(base['name'], []).append(base)
        self.names = sorted(self._by_name)
        self.bases = [base for name in self.names for base in self._by_name[name]]

    def __getitem__(self, number):
        """Return a valid case and the changes that make the case of this number."""
        # The valid calls come first, as they are.
        if number < len(self.bases):
            return self.bases[number], []
        generator = random.Random('%d %d' % (self.seed, number))
        base = generator.choice(self._by_name[generator.choice(self.names)])
        changes = []
        for _ in range(generator.choice(_COUNTS)):
            case = mutations.apply(base, changes)
            change = proposals.propose(case, generator)
            if change:
                changes.append(change)
        return base, changes
