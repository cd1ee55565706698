"""Choosing a model by what its documents score without themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textnb import lazy_names

if TYPE_CHECKING:
    from textnb.selection.subtraction import kfold_by_subtraction, leave_one_out, leave_one_out_scores

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "kfold_by_subtraction": "textnb.selection.subtraction",
        "leave_one_out": "textnb.selection.subtraction",
        "leave_one_out_scores": "textnb.selection.subtraction",
    },
)

__all__ = ["kfold_by_subtraction", "leave_one_out", "leave_one_out_scores"]
