"""Carbon that making a server took: what documents state of it, never a guess at the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from suanli.domain.embodied import EmbodiedScope
from suanli.domain.record import Text

if TYPE_CHECKING:
    from suanli.domain.embodied import EmbodiedCarbon
    from suanli.domain.figure import Grade
    from suanli.domain.hardware import Accelerator, Server

__all__ = ["ServerEmbodied", "server_embodied_kg"]

_COVERED: Final = {
    EmbodiedScope.DEVICE: Text(
        zh="仅含加速卡；不含互联底板、主机、网络与机柜，故为下限",
        en="accelerators alone; board, host, network and rack are not in it, so it is a lower bound",
    ),
    EmbodiedScope.BASEBOARD: Text(
        zh="仅含加速卡及其互联底板；不含主机、网络与机柜，故为下限",
        en="accelerators on their board; host, network and rack are not in it, so it is a lower bound",
    ),
    EmbodiedScope.SERVER: Text(
        zh="整机，含加速卡；不含网络与机柜",
        en="the whole server with its accelerators; network and rack are not in it",
    ),
}


@dataclass(frozen=True, slots=True)
class ServerEmbodied:
    """Embodied carbon of one server, as far as it is known."""

    kg: float
    """kg CO2e from raw material to the factory gate."""
    scope: EmbodiedScope
    covers: Text
    """What the figure is of and what it leaves out, for the reader."""
    grade: Grade
    refs: tuple[str, ...]

    @property
    def whole(self) -> bool:
        """Tell whether the figure is of the whole server and no lower bound."""
        return self.scope is EmbodiedScope.SERVER


def server_embodied_kg(server: Server, accelerator: Accelerator) -> ServerEmbodied | None:
    """Return the embodied carbon of a server, M = n * M_d / d, or None where no document states it.

    The server's own figure comes first; else that of its n accelerators, printed for d of them. A board is
    counted whole or not at all: a server whose accelerators do not fill boards of d has another board.

    Args:
        server: the server.
        accelerator: what it carries: its own or a sibling that it is sold with.
    """
    if server.embodied_carbon is not None and server.accelerator == accelerator.id:
        return _of(server.embodied_carbon, server.accelerator_count)
    embodied = accelerator.embodied_carbon
    if embodied is None:
        return None
    on_boards = embodied.scope is EmbodiedScope.BASEBOARD
    if on_boards and server.accelerator_count % embodied.devices:
        return None
    return _of(embodied, server.accelerator_count)


def _of(embodied: EmbodiedCarbon, accelerators: int) -> ServerEmbodied | None:
    figure = embodied.carbon
    if figure.barred:
        return None
    kg = embodied.kg_per_device * accelerators
    return ServerEmbodied(kg, embodied.scope, _COVERED[embodied.scope], figure.grade, (figure.source,))
