"""Erasure codes of a storage system: what they leave usable, and how many servers they must spread over."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ErasureCode"]


@dataclass(frozen=True, slots=True)
class ErasureCode:
    """A code of data and parity strips, all of one size, that survives the loss of as many as are parity.

    >>> flash = ErasureCode(8, 2)
    >>> flash.usable_share, flash.least_servers, str(flash)
    (0.8, 5, '8+2')
    """

    data: int
    parity: int

    @property
    def strips(self) -> int:
        """Return the strips of a stripe, which lie on as many drives."""
        return self.data + self.parity

    @property
    def usable_share(self) -> float:
        """Return usable over raw capacity, u = d/(d + p). d, p: data and parity strips."""
        return self.data / (self.data + self.parity)

    @property
    def least_servers(self) -> int:
        """Return the fewest servers that survive the loss of one, n = ⌈(d + p)/p⌉.

        Strips are spread evenly, so that one of n servers holds at most ⌈(d + p)/n⌉ of a stripe; all of these
        are lost with it, and no more than p may be.
        """
        return -(-(self.data + self.parity) // self.parity)

    def __str__(self) -> str:
        """Return the code as it is usually written, such as 8+2."""
        return f"{self.data}+{self.parity}"
