"""Keys of `commercial` about money over time: financing, escalation, served work, scenarios."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import model_validator

from suanli.domain.finance import FinancingMethod
from suanli.project import kinds
from suanli.project.kinds import about
from suanli.project.model_section import Keys
from suanli.project.quantities import QuantityError

__all__ = ["EscalationKeys", "FinancingKeys", "ScenarioKeys", "ScenariosKeys", "ServingKeys"]


class FinancingKeys(Keys):
    """A loan or a lease for the purchase."""

    method: Annotated[
        Annotated[FinancingMethod, kinds.one_of(tuple(FinancingMethod))],
        about(
            "Level instalments, equal principal, or a lease with rent in advance.",
            "等额本息、等额本金，或期初付租的融资租赁。",
            "level",
        ),
    ]
    share: Annotated[
        kinds.Fraction, about("Share of the purchase net of VAT.", "占不含税采购额比例。", "70%")
    ]
    rate: Annotated[kinds.Probability, about("Nominal yearly rate.", "名义年利率。", "4.5%")]
    term: Annotated[kinds.Months, about("Term, grace included.", "期限（含宽限期）。", "60 months")]
    grace: Annotated[
        kinds.MonthsOrZero | None, about("Months of interest only.", "只付息的宽限期。", "6 months")
    ] = None

    @model_validator(mode="after")
    def _check_grace(self) -> Self:
        if self.grace is not None and self.grace >= self.term:
            raise QuantityError(
                f"a grace of {self.grace} months leaves no month of a term of {self.term} to pay back in",
                "a grace shorter than the term",
            )
        if self.grace and self.method is FinancingMethod.LEASE:
            raise QuantityError("a lease has no grace", "grace with level or equal-principal only")
        return self


class EscalationKeys(Keys):
    """Yearly rise of running costs from the second year of operation on."""

    electricity: Annotated[kinds.Fraction | None, about("Of electricity.", "电费年涨幅。", "2%")] = None
    staff: Annotated[kinds.Fraction | None, about("Of staff.", "人工年涨幅。", "4%")] = None
    services: Annotated[
        kinds.Fraction | None,
        about(
            "Of rack space, maintenance, spare parts, software and insurance.",
            "托管、维保、备件、软件与保险年涨幅。",
            "3%",
        ),
    ] = None


class ServingKeys(Keys):
    """What the cluster delivers when it serves its model; measured, never estimated."""

    tokens_per_s_per_accelerator: Annotated[
        kinds.TokensPerSecond,
        about("Measured output tokens per second and accelerator.", "实测单卡输出吞吐（词元/秒）。", 800),
    ]
    utilisation: Annotated[
        kinds.Probability, about("Share of all hours at that rate.", "全年按该吞吐运行的比例。", "60%")
    ]


class ScenarioKeys(Keys):
    """What a scenario multiplies."""

    price: Annotated[kinds.Rate | None, about("Prices of the bill.", "清单价格倍数。", 0.85)] = None
    exchange: Annotated[kinds.Rate | None, about("Price of foreign currency.", "外币价格倍数。", 0.95)] = None
    electricity: Annotated[
        kinds.Rate | None, about("Electricity and rack space.", "电价与托管价倍数。", 0.9)
    ] = None
    staff: Annotated[kinds.Rate | None, about("Cost of staff.", "人工成本倍数。", 0.9)] = None
    use: Annotated[kinds.Rate | None, about("Runs a year.", "年训练次数倍数。", 1.1)] = None
    run_time: Annotated[
        kinds.Rate | None,
        about("Time of a run; left out: its P10 or P90.", "训练时长倍数；不填取 P10 或 P90。", 0.9),
    ] = None
    residual: Annotated[kinds.NumberOrZero | None, about("Residual value.", "残值倍数。", 1)] = None


class ScenariosKeys(Keys):
    """The two scenarios beside the base."""

    optimistic: Annotated[
        ScenarioKeys | None, kinds.Section, about("The better case.", "乐观情景。", {"price": 0.85})
    ] = None
    pessimistic: Annotated[
        ScenarioKeys | None, kinds.Section, about("The worse case.", "悲观情景。", {"price": 1.2})
    ] = None
