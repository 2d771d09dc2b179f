"""The table of mistakes, and what Chainer and PyTorch said of them."""
from __future__ import annotations

import json
import pathlib
import typing as tp

from tests._help.mistakes import (
    arrays,
    calls,
    files,
    graphs,
    habits,
    images,
    labels,
    models,
    options,
    trainings,
)
from tests._help.mistakes.case import Case

# Title of each part, and its cases.
PARTS: dict[str, tuple[Case, ...]] = {
    'Arrays': arrays.CASES, 'Images, sequences and sizes': images.CASES,
    'Labels and ids': labels.CASES, 'Links': models.CASES,
    'Gradients, optimizers, configuration': graphs.CASES,
    'Data and training': trainings.CASES,
    'Snapshots, files and reports': files.CASES,
    'Options of a command line': options.CASES,
    'Calls and what was forgotten': calls.CASES,
    'Habits of PyTorch': habits.CASES}
CASES: list[Case] = [case for cases in PARTS.values() for case in cases]
RECORDS = pathlib.Path(__file__).with_name('recorded.json')


def recorded() -> dict[str, tp.Any]:
    """Return what was recorded, by the name of the library.

    Each has ``versions``, and ``answers`` by the name of the case: the type of the
    exception or the warning, and its text; both are empty if nothing was said.
    """
    return json.loads(RECORDS.read_text(encoding='utf-8')) if RECORDS.exists() else {}
