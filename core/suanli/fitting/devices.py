"""The card that a question about memory names: one of the catalogue, or nothing but an amount of memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar

from suanli.domain.figure import Bytes, BytesPerSecond, Check, Confidence, Figure, FlopsPerSecond
from suanli.domain.hardware import Accelerator, Precision, Server
from suanli.domain.naming import resolve_accelerator
from suanli.domain.record import Text
from suanli.domain.units import BYTES_PER_GB
from suanli.domain.vendor import Calibration, SoftwareStack
from suanli.errors import Fault, InputError
from suanli.estimation.devices import candidate_devices
from suanli.estimation.fitted import with_fits
from suanli.estimation.results import Device
from suanli.project.quantities import parse_bytes

if TYPE_CHECKING:
    from suanli.domain.catalogue import Catalogue
    from suanli.domain.workload import Requirement

__all__ = [
    "GENERIC",
    "Card",
    "card_of",
    "memory_figure",
    "sharding_stack",
    "with_cards",
    "with_host_memory",
    "with_memory",
    "with_stack",
]

GENERIC: Final = "generic"
"""Id of a card of which only the memory is known."""
_BOX: Final = 8
"""Cards of a server that is not known."""
_ANY: Final = Text(zh="通用卡", en="generic card")
_UNLIMITED_BYTES: Final = 1e18
"""Host memory where it is not known: what is needed is then said, and not held against anything."""


@dataclass(frozen=True, slots=True)
class Card:
    """A device with what is known of it."""

    device: Device
    timed: bool
    """Whether a rate can be told: peak, bandwidth and constants are known."""
    server_known: bool
    host_memory_bytes: float | None
    """Memory of one server's host; None where it is not known."""
    precision: Precision
    """The asked one, or the 16-bit format that the device has where none was asked for."""

    @property
    def generic(self) -> bool:
        """Tell whether nothing but the memory is known."""
        return self.device.accelerator.id == GENERIC

    @property
    def per_server(self) -> int:
        """Return the cards of one server."""
        return self.device.server.accelerator_count


def card_of(
    requirement: Requirement, catalogue: Catalogue, *, accelerator: str = "", memory: Bytes | None = None
) -> Card:
    """Return the card of a question.

    A card of the catalogue without server or constants, or of which only the memory is given, can hold a
    model all the same; its rate is then not told.

    Raises:
        InputError: the accelerator is unknown or ambiguous or lacks the precision, no stack of its vendor is
            known, or neither an accelerator nor a memory is given.
    """
    if not accelerator:
        if memory is None:
            raise InputError(Fault("is missing", key="--accelerator", cure="or give --memory, such as 24GB"))
        return _memory_only(_generic(memory), requirement, catalogue)
    known = resolve_accelerator(catalogue, accelerator, key="--accelerator")
    if known.memory_bandwidth is None or not known.dense_peak:
        return _memory_only(known, requirement, catalogue)
    wanted = _in_known_precision(known, requirement)
    if known.peak_flops_per_s(wanted.workload.precision) is None:
        raise InputError(
            Fault(
                f"{known.id} has no {wanted.workload.precision.value}",
                key="--precision",
                why=f"known: {', '.join(one.value for one in known.dense_peak)}",
            )
        )
    stack = _sharding_asked(known.vendor, wanted, catalogue)
    own = stack is not None and known.vendor in stack.vendors
    job = replace(wanted.workload, stack=stack.id) if stack is not None and own else wanted.workload
    named = replace(wanted, workload=job, vendors=replace(wanted.vendors, accelerators=(known.id,)))
    (found,) = candidate_devices(named, catalogue)
    if isinstance(found, Device):
        host = found.server.host_memory
        known_host = None if host is None else host.si
        card = Card(
            found, timed=True, server_known=True, host_memory_bytes=known_host, precision=job.precision
        )
        # A stack that is not known on this vendor's cards takes its memory there, and an unknown time.
        return card if stack is None or own else replace(with_stack(card, stack, catalogue), timed=False)
    return _memory_only(known, wanted, catalogue)


def _in_known_precision(accelerator: Accelerator, requirement: Requirement) -> Requirement:
    """Return a requirement in the other 16-bit format where the device lacks the chosen one.

    Both take the same memory; a precision that the user named stays.
    """
    chosen = any(one.key == "workload.precision" for one in requirement.assumptions)
    lacks = accelerator.peak_flops_per_s(requirement.workload.precision) is None
    if not chosen or not lacks or accelerator.peak_flops_per_s(Precision.FP16) is None:
        return requirement
    return replace(requirement, workload=replace(requirement.workload, precision=Precision.FP16))


def _sharding_asked(vendor: str, requirement: Requirement, catalogue: Catalogue) -> SoftwareStack | None:
    """Return the stack of a question that asks for a ZeRO stage or offload and for no split of the model.

    None: the named one, or the vendor's default for the task.
    """
    workload, pins = requirement.workload, requirement.pins
    split = any(size not in {None, 1} for size in (pins.tp, pins.pp, pins.cp, pins.ep))
    if workload.stack or split or (pins.zero_stage is None and pins.offload is None):
        return None
    return sharding_stack(vendor, catalogue) or sharding_stack("", catalogue)


def sharding_stack(vendor: str, catalogue: Catalogue) -> SoftwareStack | None:
    """Return the vendor's stack that shards states in the manner of ZeRO or FSDP; any vendor's for none."""
    stacks = [one for one in catalogue.all(SoftwareStack) if not vendor or vendor in one.vendors]
    for kind in ("zero", "fsdp"):
        same = [one for one in stacks if one.sharding == kind]
        # The one that a vendor trains adapters with is the one that people meet.
        if same:
            return max(same, key=lambda one: len(one.default_for_lora))
    return None


F = TypeVar("F", bound=Figure)


def _given(kind: type[F], value: float, unit: str) -> F:
    """Return a figure that the question states, or one on which no shown result depends."""
    return kind(value=value, unit=unit, source=GENERIC, confidence=Confidence.ESTIMATE, check=Check.DIRECT)


def memory_figure(text: str) -> Bytes:
    """Return an amount of memory as a label states it.

    `usable_memory` reads GB of a label as powers of two; GiB are what they say.

    Raises:
        QuantityError: the text is no amount of memory.

    >>> memory_figure("24GB").unit, memory_figure("24 GiB").unit
    ('GB', 'GiB')
    """
    size = float(parse_bytes(text))
    return _given(Bytes, size / 2**30, "GiB") if "i" in text else _given(Bytes, size / BYTES_PER_GB, "GB")


def _generic(memory: Bytes) -> Accelerator:
    return Accelerator(id=GENERIC, name=_ANY, vendor=GENERIC, maker=_ANY, dense_peak={}, memory=memory)


def _memory_only(accelerator: Accelerator, requirement: Requirement, catalogue: Catalogue) -> Card:
    """Return a card whose rates order the layouts and are not shown."""
    vendor = "" if accelerator.id == GENERIC else accelerator.vendor
    wanted = requirement.workload.stack
    stack = (
        catalogue.get(SoftwareStack, wanted, key="--stack") if wanted else sharding_stack(vendor, catalogue)
    )
    if stack is None:
        raise InputError(
            Fault(
                f"no training stack is known for {accelerator.id}", key="--accelerator", cure="use --memory"
            )
        )
    precision = requirement.workload.precision
    rated = accelerator.model_copy(
        update={
            "dense_peak": {
                Precision.BF16: _given(FlopsPerSecond, 150, "TFLOPS"),
                precision: _given(FlopsPerSecond, 150, "TFLOPS"),
                **accelerator.dense_peak,
            },
            "memory_bandwidth": accelerator.memory_bandwidth or _given(BytesPerSecond, 1, "TB/s"),
        }
    )
    own = next((one for one in catalogue.all(Calibration) if one.accelerator == accelerator.id), None)
    # One card needs no server: what is calibrated of the card alone gives its rate.
    timed = own is not None and accelerator.trains and bool(accelerator.dense_peak)
    plain = Calibration(id=f"calibration-{accelerator.id}", accelerator=accelerator.id, constants={})
    device = Device(rated, _box(rated), own or plain, stack, None, borrowed=("server", "calibration"))
    return Card(device, timed=timed, server_known=False, host_memory_bytes=None, precision=precision)


def _box(accelerator: Accelerator) -> Server:
    """Return a server of eight cards of which nothing else is known."""
    return Server(
        id=f"{accelerator.id}-box",
        name=accelerator.name,
        vendor=accelerator.vendor,
        maker=accelerator.maker,
        accelerator=accelerator.id,
        accelerator_count=_BOX,
        scale_up_domain=_BOX,
    )


def with_stack(card: Card, stack: SoftwareStack, catalogue: Catalogue) -> Card:
    """Return a card under another stack, with that stack's constants."""
    return replace(card, device=with_fits(replace(card.device, stack=stack), catalogue))


def with_host_memory(card: Card, host_memory_bytes: float) -> Card:
    """Return a card whose server has a stated amount of host memory."""
    return replace(card, host_memory_bytes=host_memory_bytes)


def with_cards(card: Card, cards: int, *, unlimited: bool = False) -> Device:
    """Return the device of a question with so many cards.

    Fewer cards than a server holds share its host among themselves alone. Host memory that is not known, or
    is not to be held against the layout, is unlimited.
    """
    server = card.device.server
    known = None if unlimited else card.host_memory_bytes
    host = _given(Bytes, (_UNLIMITED_BYTES if known is None else known) / BYTES_PER_GB, "GB")
    alone = min(cards, server.accelerator_count)
    changed = server.model_copy(update={"host_memory": host, "accelerator_count": alone})
    return replace(card.device, server=changed)


def with_memory(card: Card, other: Accelerator) -> Card:
    """Return a card with the memory of another accelerator, of which its rate is not taken."""
    changed = card.device.accelerator.model_copy(
        update={"memory": other.memory, "usable_memory": other.usable_memory, "dies": other.dies}
    )
    return replace(card, device=replace(card.device, accelerator=changed), timed=False)
