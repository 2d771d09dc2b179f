"""What a machine with a card is asked, in stages: ``make card``.

    python -m tests.card --out FOLDER [STAGE ...]

needs no Makefile: an installed chainer_fast, CuPy, pytest and a copy of the repository
do. ``stages`` has the table of stages, and a stage is a list of ``commands``. ``run``
gives each a ``process`` and a line in the stage's results, which are written as it
goes. ``program`` runs the cases in ``programs``, by one name or by what their names
begin with, for as long as ``rounds`` lets them. ``keeper`` is a plugin of pytest that
writes ``outcomes``. ``page`` makes a page of a folder of results.

    python -m tests.card.quarter first|second

asks a machine that is bare, and there for a quarter of an hour in two visits, which
``visits`` has the tables of. ``crew`` shares tests among processes there, and
``archive`` is what comes back.

Without a card, `make card` tells what it would do. ``--tiny`` and ``--rehearse`` run
the programs at tiny sizes, on the stand-ins for CuPy and cuDNN where there is no card.
"""
