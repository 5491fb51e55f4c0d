"""Storage, failures and spares of the sample proposal: 704 devices in 88 servers, two tiers."""

from __future__ import annotations

from decimal import Decimal

from suanli.domain.record import Text
from suanli.planning.availability_results import LossKind, RepairUnit
from suanli.planning.storage_results import DemandKind, TierBound, TierKind, VolumeKind
from suanli.proposal.model import (
    AvailabilityView,
    CheckpointModeView,
    DemandView,
    LeadTimeView,
    LossView,
    RateView,
    Share,
    Shown,
    SizeView,
    SpareView,
    StorageView,
    TierView,
    VolumeView,
)

__all__ = ["sample_availability", "sample_lead_time", "sample_storage"]

D = Decimal
FLASH, DISKS = TierKind.PERFORMANCE, TierKind.CAPACITY


def shown(value: str, unit: str, low: str = "", high: str = "", refs: str = "") -> Shown:
    return Shown(
        value=D(value),
        unit=unit,
        low=D(low) if low else None,
        high=D(high) if high else None,
        refs=tuple(refs.split()),
    )


def sample_lead_time() -> LeadTimeView:
    """Return half a year, and possibly longer."""
    return LeadTimeView(low_weeks=D(26), high_weeks=D(26), open_ended=True, as_of="2025-09", refs=("S8",))


def sample_storage() -> StorageView:
    """Return a storage in two tiers with every kind of volume and demand."""
    return StorageView(
        dataset=shown("308", "TB", refs="A5"),
        checkpoint=shown("1.02", "TB", refs="F6"),
        checkpoints_kept=2,
        capacity=shown("432", "TB", refs="A5"),
        write=shown("67.5", "GB/s", refs="F6"),
        read=shown("40", "GB/s", refs="A5"),
        milestones=10,
        weights=shown("145", "GB"),
        states=shown("872", "GB"),
        stored=shown("361", "TB"),
        volumes=tuple(
            VolumeView(kind=kind, tier=tier, stored=shown(size, "TB"), count=count)
            for kind, tier, size, count in (
                (VolumeKind.TOKENISED, FLASH, "8", 1),
                (VolumeKind.SOURCE, DISKS, "300", 1),
                (VolumeKind.SCRATCH, FLASH, "8", 1),
                (VolumeKind.RECOVERY, FLASH, "3.06", 3),
                (VolumeKind.MILESTONES, DISKS, "10.2", 10),
                (VolumeKind.BASE_MODEL, FLASH, "0.145", 1),
                (VolumeKind.RELEASED, DISKS, "1.45", 10),
                (VolumeKind.LOGS, DISKS, "16.2", 1),
                (VolumeKind.HOMES, FLASH, "9", 90),
            )
        ),
        demands=tuple(_demands()),
        tiers=(
            _tier(FLASH, TierBound.WRITE, "28.2", "35.3", 45, servers=(1, 1, 4)),
            _tier(DISKS, TierBound.MINIMUM, "328", "386", 515, servers=(1, 1, 1)),
        ),
        modes=(
            _mode("stated", "15.1 s", "15.1 s", "67.5", "0.9659", chosen=True),
            _mode("half", "30.2 s", "30.2 s", "33.8", "0.9538"),
            _mode("synchronous", "5 min", "5 min", "3.4", "0.8911"),
            _mode("asynchronous", "5 s", "15.1 s", "67.5", "0.9784"),
            _mode("asynchronous-window", "5 s", "5 min", "3.4", "0.9745"),
        ),
    )


def _demands() -> list[DemandView]:
    rows = (
        (DemandKind.CHECKPOINT, FLASH, "1.02", "15.1 s", "67.5", True, True),
        (DemandKind.RESTART, FLASH, "1.02", "25.5 s", "40", False, True),
        (DemandKind.REPLICAS, FLASH, "4.21", "25.5 s", "165", False, False),
        (DemandKind.LOADING, FLASH, "", "", "0.01", False, True),
        (DemandKind.EVALUATION, FLASH, "0.145", "2 min", "1.21", False, True),
        (DemandKind.INGEST, DISKS, "300", "7 day", "0.5", True, True),
        (DemandKind.TOKENISING, DISKS, "300", "7 day", "0.5", False, True),
        (DemandKind.MILESTONE, DISKS, "1.02", "60 min", "0.28", True, True),
    )
    return [
        DemandView(
            kind=kind,
            tier=tier,
            transfer=shown(size, "TB") if size else None,
            time=shown(*time.split()) if time else None,
            rate=shown(rate, "GB/s"),
            write=write,
            sizing=sizing,
        )
        for kind, tier, size, time, rate, write, sizing in rows
    ]


def _tier(  # noqa: PLR0913 - the parts of a tier
    kind: TierKind, bound: TierBound, stored: str, usable: str, raw: int, *, servers: tuple[int, int, int]
) -> TierView:
    return TierView(
        kind=kind,
        stored=shown(stored, "TB"),
        usable=shown(usable, "TB"),
        raw_tb=raw,
        read=shown("40", "GB/s"),
        write=shown("67.5", "GB/s"),
        servers_for_capacity=servers[0],
        servers_for_read=servers[1],
        servers_for_write=servers[2],
        servers=max(3, *servers),
        bound=bound,
        given_read=shown("160", "GB/s"),
        given_write=shown("80", "GB/s"),
    )


def _mode(  # noqa: PLR0913 - the parts of a mode
    key: str, stall: str, write: str, rate: str, share: str, *, chosen: bool = False
) -> CheckpointModeView:
    return CheckpointModeView(
        key=key,
        stall=shown(*stall.split()),
        write=shown(*write.split()),
        rate=shown(rate, "GB/s"),
        interval=shown("25.4", "min"),
        share=D(share),
        chosen=chosen,
    )


def sample_availability() -> AvailabilityView:
    """Return failures of a run of 109 days with three spares, and what other numbers would do."""
    return AvailabilityView(
        rate=shown("0.474", "per 1000 device-days", refs="S8"),
        mtbf=shown("3.00", "day", refs="S8"),
        interruptions=shown("36.5", "count", "29", "44", "S8"),
        causes=tuple(
            Share(key=key, value=D(count))
            for key, count in (
                ("device", "23.3"),
                ("host", "4.01"),
                ("network", "3.66"),
                ("software", "5.49"),
            )
        ),
        causes_refs=("S8",),
        restart=shown("18", "min", refs="A4"),
        repair=shown("3", "day"),
        young=shown("25.4", "min", refs="F6"),
        daly=shown("25.3", "min", refs="F6"),
        young_loss=D("0.0354"),
        daly_loss=D("0.0353"),
        losses=tuple(
            LossView(kind=kind, time=shown(time, "h"), share=D(share))
            for kind, time, share in (
                (LossKind.CHECKPOINT, "26.2", "0.0100"),
                (LossKind.LOST_WORK, "26.2", "0.0100"),
                (LossKind.RESTART, "36.7", "0.0140"),
                (LossKind.REPAIR, "9.8", "0.0037"),
            )
        ),
        lost_share=D("0.0377"),
        unit=RepairUnit.SERVER,
        spares=3,
        under_repair=D("0.780"),
        cover_count=3,
        paying_count=2,
        stated=False,
        effects=tuple(
            SpareView(
                spares=count,
                cover=D(cover),
                waiting_share=D(waiting),
                days=shown(days, "day"),
                saved=shown(*saved.split()) if saved else None,
                chosen=count == 3,
            )
            for count, cover, waiting, days, saved in (
                (0, "0.4584", "0.4382", "194", ""),
                (1, "0.8159", "0.1460", "128", "66.4 day"),
                (2, "0.9554", "0.0366", "113", "14.5 day"),
                (3, "0.9917", "0.0071", "110", "3.4 day"),
                (4, "0.9987", "0.0011", "109", "15.7 h"),
            )
        ),
        rates=tuple(
            RateView(
                name=Text(zh=zh, en=en),
                rate=shown(rate, "per 1000 device-days", refs="S8"),
                mtbf=shown(gap, "day"),
                share=D(share),
                days=shown(days, "day"),
                spares=spares,
                used=rate == "0.474",
            )
            for zh, en, rate, gap, share, days, spares in (
                ("千卡训练", "Run of a thousand devices", "0.474", "3.00", "0.966", "109", 3),
                ("多租户集群", "Shared cluster", "2.97", "0.48", "0.911", "116", 9),
            )
        ),
        sizes=tuple(
            SizeView(
                accelerators=count,
                mtbf=shown(gap, "day"),
                interval=shown(interval, "min"),
                share=D(share),
                current=count == 704,
            )
            for count, gap, interval, share in (
                (352, "6.00", "35.9", "0.977"),
                (704, "3.00", "25.4", "0.966"),
                (1408, "1.50", "18.0", "0.950"),
            )
        ),
        ideal=shown("105", "day"),
        days=shown("109", "day", "98", "123"),
        adjusted=shown("110", "day", "99", "124", "F6"),
        waiting_share=D("0.0071"),
    )
