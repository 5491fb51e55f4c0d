"""Where the numbers of a worked path come from: data sheets, fits on published runs, papers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from suanli.domain.figure import Source
from suanli.domain.vendor import FitScope

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.figure import Figure
    from suanli.domain.vendor import Fit
    from suanli.estimation.results import Device

__all__ = ["PAPERS", "Origin", "Origins"]


@dataclass(frozen=True, slots=True)
class Origin:
    """One source of a formula or a number."""

    id: str
    kind: str
    """``data-sheet``, ``fit``, ``plugin``, ``pilot``, ``neutral`` or ``paper``."""
    title: str
    groups: int | None = None
    """Groups of published runs behind a fit."""
    median_error: float | None = None
    """Median error of these runs, each predicted without its own group."""
    sibling: str = ""
    """Relative that the number was taken from; empty for a number of the device's own."""


PAPERS: Final[dict[str, str]] = {
    "kaplan": "Kaplan et al., Scaling Laws for Neural Language Models, 2020, section 2.1",
    "lora": "Hu et al., LoRA, 2021, section 4",
    "narayanan": "Narayanan et al., Efficient Large-Scale Language Model Training, 2021, section 2.2",
    "flash": "Dao, FlashAttention-2, 2023, section 4.1",
    "roofline": "Williams, Waterman & Patterson, Roofline, 2009",
    "thakur": "Thakur, Rabenseifner & Gropp, Optimization of Collective Communication, 2005, section 3",
    "shoeybi": "Shoeybi et al., Megatron-LM, 2019, section 3",
    "ring": "Liu et al., Ring Attention, 2023, section 3",
    "zero": "Rajbhandari et al., ZeRO, 2020, sections 3 and 7",
    "zero-offload": "Ren et al., ZeRO-Offload, 2021, section 5",
    "korthikanti": "Korthikanti et al., Reducing Activation Recomputation, 2022, section 4",
    "young": "Young, 1974; Daly, 2006, section 2",
    "palm": "Chowdhery et al., PaLM, 2022, appendix B (MFU)",
}
"""Papers behind the formulas."""


@dataclass(frozen=True, slots=True)
class Origins:
    """Finds the origin of each number of a device."""

    device: Device
    catalogue: Catalogue

    def paper(self, key: str) -> Origin:
        """Return a paper."""
        return Origin(key, "paper", PAPERS[key])

    def source(self, source_id: str, *, sibling: str = "") -> tuple[Origin, ...]:
        """Return a source of the catalogue, none for an unknown id."""
        found = self.catalogue.find(Source, source_id)
        if found is None:
            return ()
        return (Origin(found.id, "data-sheet", f"{found.title}, {found.publisher}", sibling=sibling),)

    def figure(self, figure: Figure | None) -> tuple[Origin, ...]:
        """Return the source of a figure, with the relative that it was taken from."""
        return () if figure is None else self.source(figure.source, sibling=figure.sibling)

    def constant(self, name: str) -> tuple[Origin, ...]:
        """Return where a constant of the estimate comes from, by the order in which it is looked up."""
        device = self.device
        for fit in (device.shared, device.stack_fit, device.device_fit):
            if fit is not None and name in fit.constants:
                return (self.fit(fit),)
        figure = device.stack.constants.get(name) or device.calibration.constants.get(name)
        if figure is not None:
            own = self.source(figure.source, sibling=figure.sibling or device.calibration.sibling)
            return own or (Origin(figure.source, "plugin", "constants of the plugin"),)
        return (Origin("neutral", "neutral", "middle of the calibrated devices and stacks"),)

    def stack_factor(self) -> tuple[Origin, ...]:
        """Return where the multiplier of the device's family under the stack comes from; none for no such."""
        device = self.device
        figure = device.calibration.stack_factors.get(device.stack.id)
        if figure is None:
            return ()
        fit = device.device_fit
        if fit is not None and device.stack.id in fit.stack_factors:
            return (self.fit(fit),)
        return self.figure(figure)

    def fit(self, fit: Fit) -> Origin:
        """Return a fit with its groups of runs and their error."""
        sibling = self.device.calibration.sibling if fit.scope is FitScope.DEVICE else ""
        error = None if fit.median_error is None else fit.median_error.si
        title = f"fit of {fit.scope.value} {fit.subject}"
        return Origin(fit.id, "fit", title, fit.groups, error, sibling)
