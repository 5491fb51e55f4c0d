"""Measure `suanli propose`: what the PDF engine takes, and what everything around it takes.

The stages run one after the other in this process, in processor seconds; then the whole command runs as a
user runs it, languages side by side, in seconds of the clock. The engine's own time is layout and writing.

Usage: python benchmarks/propose.py [EXAMPLE ...] [--lang zh,en]
"""

from __future__ import annotations

import argparse
import os
import pickle
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Generator

ROOT: Final = Path(__file__).resolve().parent.parent
ENGINE: Final = ("layout", "writing")
"""Stages that are the engine's own."""


@dataclass
class Clock:
    """Processor seconds by stage, in the order in which they were met."""

    seconds: dict[str, float] = field(default_factory=dict[str, float])

    @contextmanager
    def stage(self, name: str) -> Generator[None, None, None]:
        """Add the time that a block takes."""
        started = time.process_time()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - started

    def of(self, *names: str) -> float:
        """Return the time of some stages."""
        return sum(self.seconds.get(name, 0.0) for name in names)


def staged(example: str, languages: tuple[str, ...]) -> Clock:
    """Return the time of every stage of an example, each run once."""
    clock = Clock()
    with clock.stage("imports and plugins"):
        from suanli.cli import common  # noqa: PLC0415 - importing is measured
        from suanli.pipeline import build_proposal  # noqa: PLC0415
        from suanli.proposal.contributions import Attachment, RenderJob  # noqa: PLC0415

        host = common.load_plugins(strict=False)
    with clock.stage("figures"):
        project = common.read_project(ROOT / "examples" / f"{example}.yaml", host, settings=(), vendors=())
        proposal = build_proposal(project, host)
    with clock.stage("handing over"):
        for _ in languages:
            pickle.loads(pickle.dumps(proposal))  # noqa: S301 - our own bytes
    with clock.stage("imports of renderers"):
        import weasyprint  # type: ignore[import-untyped]  # noqa: F401, PLC0415 - importing is measured

        from suanli_reports import engine, html, json_output, pdf, xlsx  # noqa: PLC0415
    with clock.stage("data"):
        data = json_output.render_json(RenderJob(proposal, ""))
    for language in languages:
        job = RenderJob(proposal, language)
        with clock.stage("workbook"):
            sheet = xlsx.render_xlsx(job)
        with clock.stage("web document"):
            html.render(job)
        files = [
            Attachment(name, f"{name}.bin", content, host.renderer(name).name)
            for name, content in (("json", data), ("xlsx", sheet))
        ]
        job = RenderJob(proposal, language, attachments=tuple(files))
        with clock.stage("HTML of the PDF"):
            source, speaker, _ = pdf.source(job)
        with engine.listening():
            with clock.stage("layout"):
                pages = engine.laid_out(source)
            with clock.stage("writing"):
                engine.painted(pages, b"00", [pdf.embedded(one, speaker, proposal) for one in files])
    return clock


def whole(example: str, languages: tuple[str, ...]) -> tuple[float, float]:
    """Return seconds of the clock and of processors of the command, with everything it writes."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "suanli", "propose", f"examples/{example}.yaml"]
        started, before = time.perf_counter(), os.times()
        subprocess.run(  # noqa: S603 - our own command
            [*command, "-o", folder, "--lang", ",".join(languages)],
            cwd=ROOT,
            check=True,
            capture_output=True,
        )
        after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - started, used


def report(example: str, languages: tuple[str, ...]) -> None:
    """Print the stages of an example, and how they compare with the engine."""
    clock = staged(example, languages)
    print(f"{example}, {', '.join(languages)}")
    for name, seconds in clock.seconds.items():
        print(f"  {name:24} {seconds:7.2f} s")
    own = clock.of(*ENGINE)
    rest = clock.of(*clock.seconds) - own
    print(f"  {'engine':24} {own:7.2f} s")
    print(f"  {'around it':24} {rest:7.2f} s, {rest / own:.0%} of the engine's")
    took, used = whole(example, languages)
    print(f"  {'the whole command':24} {took:7.2f} s of the clock, {used:.2f} s of processors", flush=True)


def main() -> None:
    """Print the tables, each example measured in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("examples", nargs="*", default=["lora-13b", "pretrain-70b"])
    parser.add_argument("--lang", default="zh,en")
    given = parser.parse_args()
    examples: list[str] = given.examples
    if len(examples) == 1:
        report(examples[0], tuple(str(given.lang).split(",")))
        return
    for example in examples:
        subprocess.run([sys.executable, __file__, example, "--lang", given.lang], check=True)  # noqa: S603 - ourselves


if __name__ == "__main__":
    main()
