"""The section on figures changed by hand: what a cost sheet says in place of catalogue or sizing."""

from __future__ import annotations

from typing import Annotated

from pydantic import model_validator

from suanli.project import kinds  # noqa: TC001 - pydantic reads the annotations
from suanli.project.kinds import about
from suanli.project.model_section import Keys
from suanli.project.quantities import QuantityError

__all__ = ["EditKeys"]

OF_AN_OPTION = ("quantity.", "factor.", "energy.", "schedule.", "run_time.", "carbon.")
"""Beginnings of inputs that each option has of its own."""


class EditKeys(Keys):
    """One figure; `suanli propose --inputs` writes these."""

    input: Annotated[
        kinds.Line,
        about(
            "Input of the ledger, without the letter of its option.",
            "台账参数的标识（不含方案字母）。",
            "quantity.servers",
        ),
    ]
    value: Annotated[
        kinds.Signed, about("The figure, in the unit of that input.", "数值，单位与该参数相同。", 41)
    ]
    date: Annotated[kinds.Day, about("Day of the cost sheet.", "成本测算表的日期。", "2026-12-01")]
    accelerator: Annotated[
        kinds.Name | None,
        about("Device of the option that the figure belongs to.", "所属方案的加速卡标识。", "ascend-910b3"),
    ] = None

    @model_validator(mode="after")
    def _owned(self) -> EditKeys:
        own = self.input.startswith(OF_AN_OPTION)
        if own and self.accelerator is None:
            raise QuantityError(f'"{self.input}" is a figure of one option', "name its accelerator")
        if not own and self.accelerator is not None:
            raise QuantityError(f'"{self.input}" is a figure of all options', "leave accelerator out")
        return self
