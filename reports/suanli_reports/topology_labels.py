"""What is written in the drawing of a network, from the proposal's figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from suanli_reports.topology import Labels, grouped

if TYPE_CHECKING:
    from suanli.proposal.model import TopologyView

__all__ = ["Say", "several", "single"]


class Say(Protocol):
    """Says a message in each language of the document."""

    def __call__(self, key: str, /, **values: object) -> tuple[str, ...]:
        """Return one line for each language."""
        ...


def several(view: TopologyView, say: Say) -> Labels:
    """Return the labels of a network of several servers."""
    rows = {row.tier: say(f"topology.{row.tier}", count=row.count) for row in view.rows}
    total = view.servers + view.spare_servers
    rows["server"] = (
        say("topology.servers-spare", count=total, spare=view.spare_servers)
        if view.spare_servers
        else say("topology.servers", count=total)
    )
    links: dict[str, tuple[str, ...]] = {}
    for link in view.links:
        lines = say("topology.cables", count=link.cables, rate=link.gbit_s)
        if link.each is not None:
            lines += say(f"topology.each-{link.lower}", count=link.each)
        links[link.lower] = lines
    legend = [("1", " ".join(say("topology.one")))]
    if grouped(view):
        legend.append(("×n", " ".join(say("topology.many"))))
    return Labels(rows, links, tuple(legend))


def single(view: TopologyView, say: Say) -> Labels:
    """Return the labels of a single server."""
    link = view.scale_up
    rows = {
        "link": say("topology.no-link")
        if link is None
        else say(f"topology.{link.topology}", rate=link.per_device),
        "device": say("topology.devices", count=view.accelerators),
    }
    return Labels(rows, legend=(("1", " ".join(say("topology.device"))),))
