"""From a project file to files, whole or not at all."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.core.built_in import SMALL, host

from suanli.domain.record import Text
from suanli.errors import InputError, RenderError
from suanli.manifest import verify
from suanli.pipeline import Order, build_proposal, propose, write_all
from suanli.project.load import load_project
from suanli.proposal.contributions import Renderer

if TYPE_CHECKING:
    from pathlib import Path

    from suanli.host.host import Host
    from suanli.proposal.contributions import RenderJob


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = tmp_path / "project.yaml"
    path.write_text(SMALL, encoding="utf-8")
    return path


def write(
    project: Path,
    out: Path,
    using: Host | None = None,
    *,
    formats: tuple[str, ...],
    languages: tuple[str, ...] = ("zh",),
) -> list[str]:
    order = Order(out=out, formats=formats, languages=languages)
    _, paths = propose(load_project(project), using or host(), order)
    return [path.name for path in paths]


def test_data_and_workbook_are_written_with_the_project_as_used_and_a_manifest(
    project: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    names = write(project, out, formats=("json", "xlsx"), languages=("zh", "en"))
    assert names == [
        "proposal.json",
        "cost-sheet.zh.xlsx",
        "cost-sheet.en.xlsx",
        "project.yaml",
        "manifest.json",
    ]
    assert sorted(path.name for path in out.iterdir()) == sorted(names)
    assert set(verify(out)) == set(names) - {"manifest.json"}


def test_the_same_input_gives_the_same_bytes(project: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        write(project, tmp_path / name, formats=("json", "xlsx"), languages=("zh",))
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name


def test_the_project_as_used_gives_the_same_sizing_again(project: Path, tmp_path: Path) -> None:
    write(project, tmp_path / "out", formats=("json",))
    again = build_proposal(load_project(tmp_path / "out" / "project.yaml"), host())
    first = build_proposal(load_project(project), host())
    assert [option.days for option in again.options] == [option.days for option in first.options]
    assert [option.money and option.money.tco_net for option in again.options] == [
        option.money and option.money.tco_net for option in first.options
    ]


def test_a_changed_or_missing_file_is_named_by_verify(project: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(project, out, formats=("json", "xlsx"), languages=("en",))
    (out / "proposal.json").write_text("{}", encoding="utf-8")
    (out / "cost-sheet.en.xlsx").unlink()
    with pytest.raises(InputError) as caught:
        verify(out)
    found = {fault.where.rsplit("/", 1)[-1]: fault.what for fault in caught.value.faults}
    assert found == {
        "proposal.json": "changed since the proposal was written",
        "cost-sheet.en.xlsx": "missing",
    }


def test_a_folder_without_a_manifest_cannot_be_verified(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no manifest\.json"):
        verify(tmp_path)


def test_a_renderer_that_cannot_render_leaves_nothing_behind(project: Path, tmp_path: Path) -> None:
    def fail(job: RenderJob) -> bytes:
        raise RenderError(f"no font for {job.language}")

    name = Text(zh="坏", en="Broken")
    broken = Renderer(id="broken", name=name, stem="broken", suffix=".x", per_language=True, render=fail)
    with pytest.raises(RenderError, match="no font for zh"):
        write(project, tmp_path / "out", with_renderer(broken), formats=("json", "broken"), languages=("zh",))
    assert not (tmp_path / "out").exists()


def with_renderer(renderer: Renderer) -> Host:
    from dataclasses import replace  # noqa: PLC0415 - used by this helper alone

    return replace(host(), renderers={**host().renderers, renderer.id: renderer})


def carried(job: RenderJob) -> bytes:
    return ",".join(one.name for one in job.attachments).encode()


@pytest.mark.parametrize(
    ("kind", "inside"),
    [
        ("internal-approval", "project.yaml,proposal.json"),
        ("tender-requirement", ""),
        ("vendor-bid", ""),
    ],
)
def test_a_document_that_leaves_the_house_carries_no_file(
    project: Path, tmp_path: Path, kind: str, inside: str
) -> None:
    text = Text(zh="文", en="text")
    carrier = Renderer(
        "carrier", text, "doc", ".c", per_language=True, render=carried, attaches=("json", "project")
    )
    loaded = load_project(project, [f"project.type={kind}"])
    order = Order(out=tmp_path / "out", formats=("carrier",), languages=("zh",))
    propose(loaded, with_renderer(carrier), order)
    assert (tmp_path / "out" / "doc.zh.c").read_text(encoding="utf-8") == inside
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert ("attached" in manifest) == bool(inside)


def test_an_unknown_format_names_the_known_ones(project: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="xlsx"):
        write(project, tmp_path / "out", formats=("xslx",))


def test_the_manifest_names_catalogue_and_plugins(project: Path, tmp_path: Path) -> None:
    write(project, tmp_path / "out", formats=("json",))
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert set(manifest) == {"suanli", "input", "catalogue", "outputs"}
    assert {"ascend", "nvidia", "amd"} <= set(manifest["catalogue"]["plugins"])


def test_an_unknown_scenario_is_told_at_its_place_in_the_file(project: Path) -> None:
    project.write_text(SMALL.replace("finetune-lora", "finetune-lorra"), encoding="utf-8")
    with pytest.raises(InputError) as raised:
        build_proposal(load_project(project), host())
    (fault,) = raised.value.faults
    assert fault.where.endswith("project.yaml:2")
    assert "finetune-lora" in fault.cure


def test_without_a_list_of_formats_every_default_renderer_writes(project: Path, tmp_path: Path) -> None:
    renderers = {name: renderer for name, renderer in host().renderers.items() if name in {"json", "html"}}
    plain = replace(host(), renderers={**renderers, "html": replace(renderers["html"], default=False)})
    out = tmp_path / "out"
    assert write(project, out, plain, formats=()) == ["proposal.json", "project.yaml", "manifest.json"]


@pytest.mark.parametrize("there", [True, False])
def test_a_folder_that_was_there_is_kept_when_a_file_cannot_be_written(tmp_path: Path, there: bool) -> None:  # noqa: FBT001
    out = tmp_path / "out"
    if there:
        out.mkdir()
        (out / "mine.txt").write_text("kept", encoding="utf-8")
    with pytest.raises(RenderError):
        write_all(out, {"a.txt": b"1", "no/such/folder.txt": b"2"})
    assert out.exists() is there
    assert (out / "mine.txt").exists() is there
