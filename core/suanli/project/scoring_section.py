"""Keys of `commercial.scoring`: the weights with which options are compared."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Self

from pydantic import model_validator

from suanli.project import kinds  # noqa: TC001 - pydantic reads the annotations
from suanli.project.kinds import about
from suanli.project.model_section import Keys
from suanli.project.quantities import QuantityError

__all__ = ["ScoringKeys"]


class ScoringKeys(Keys):
    """Weights of the criteria; they add up to 100 %."""

    cost: Annotated[kinds.Fraction, about("Total cost of ownership.", "总拥有成本。", "40%")]
    time: Annotated[kinds.Fraction, about("Duration of a run (P90).", "单次训练工期（P90）。", "20%")]
    energy: Annotated[kinds.Fraction, about("Electricity of a run.", "单次训练用电。", "10%")]
    evidence: Annotated[
        kinds.Fraction, about("Narrowness of the range of the duration.", "工期区间的窄宽。", "15%")
    ]
    supply: Annotated[kinds.Fraction, about("Whether it may be delivered.", "可交付性。", "15%")]

    @model_validator(mode="after")
    def _check_sum(self) -> Self:
        total = sum((self.cost, self.time, self.energy, self.evidence, self.supply), Decimal(0))
        if total != 1:
            raise QuantityError(f"the weights add up to {total:%}", "weights that add up to 100%")
        return self
