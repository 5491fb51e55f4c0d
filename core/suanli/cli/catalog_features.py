"""The feature matrix of a framework on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from suanli.cli.tables import print_table

if TYPE_CHECKING:
    from suanli.domain.software import StackFeatures, Support

__all__ = ["print_matrix"]

_HEAD = ("feature", "supported", "since", "condition", "check", "source")


def print_matrix(matrix: StackFeatures) -> None:
    """Print what a release asks for, every feature that exists with what is known of it, and exclusions.

    Args:
        matrix: the record; a feature that it does not name is printed as unknown.
    """
    from suanli.domain.software import StackFeature  # noqa: PLC0415 - keeps --help fast

    if matrix.requires:
        print_table(("software", "version"), list(matrix.requires.items()), title="asks for")
    rows = [_row(feature.value, matrix.support(feature)) for feature in StackFeature]
    print_table(_HEAD, rows, title=f"features as of {matrix.as_of.isoformat()}")
    for one in matrix.exclusions:
        click.echo(f"not together: {', '.join(one.features)} ({one.reason.en}; {one.source})")


def _row(feature: str, support: Support | None) -> tuple[str, ...]:
    if support is None:
        return (feature, "unknown", "", "", "", "")
    known = {True: "yes", False: "no", None: "unknown"}[support.supported]
    condition = support.constraint.en if support.constraint else ""
    return (feature, known, support.since, condition, support.check.value, support.source)
