"""Checks a theme's templates without running them: syntax, what they extend, blocks, passages."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Environment, PackageLoader, TemplateSyntaxError, nodes

from suanli.errors import Fault, nearest
from suanli_reports.theme.folder import AREAS, files_of, is_inside, shipped_paths
from suanli_reports.theme.sandbox import PREFIX, HouseEnvironment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["shipped_blocks", "template_faults"]

_PACKAGE: Final = "suanli_templates"
_PROSE: Final = "document/prose/"
_NAMING: Final = (nodes.Extends, nodes.Include, nodes.Import, nodes.FromImport)
_OF_RENDERERS: Final = ("name", "tojson")
"""Filters that the workbook's templates have beside those of the library."""


def _environment(root: Path) -> HouseEnvironment:
    found = HouseEnvironment(root, loader=PackageLoader(_PACKAGE, ""), autoescape=True)
    filters: dict[str, Any] = found.filters
    filters.update({name: filters.get(name, str) for name in _OF_RENDERERS})
    return found


@cache
def _shipped(path: str) -> nodes.Template:
    """Return a shipped template as a tree."""
    source = files(_PACKAGE).joinpath(path).read_text(encoding="utf-8")
    return Environment().parse(source, path)  # noqa: S701 - a tree to look at, never rendered


@cache
def shipped_blocks(path: str) -> tuple[str, ...]:
    """Return the names of a shipped template's blocks, in order."""
    return tuple(block.name for block in _shipped(path).find_all(nodes.Block))


def template_faults(root: Path) -> Iterator[Fault]:
    """Yield what is wrong with the templates of a theme.

    Args:
        root: the theme's folder.
    """
    environment = _environment(root)
    for name in files_of(root):
        if name.partition("/")[0] in AREAS and name.endswith(".j2") and is_inside(root / name, root):
            yield from _faults(environment, root, name)


def _faults(environment: HouseEnvironment, root: Path, name: str) -> Iterator[Fault]:
    where = str(root / name)
    try:
        source = (root / name).read_text(encoding="utf-8")
        tree = environment.parse(source, name, where)
        environment.compile(source, name, where)
    except UnicodeDecodeError:
        yield Fault("is not UTF-8", where=where, cure="save the file as UTF-8")
        return
    except TemplateSyntaxError as error:
        yield Fault(f"the template is broken: {error.message}", where=f"{where}:{error.lineno}")
        return
    for node in tree.find_all(_NAMING):
        wanted: object = getattr(node, "template", None)
        if isinstance(wanted, nodes.Const):
            yield from _reference_faults(root, name, str(wanted.value), node.lineno)
    yield from _block_faults(tree, where)
    if name.startswith(_PROSE) and name in shipped_paths():
        yield from _passage_faults(tree, name, where)


def _reference_faults(root: Path, name: str, wanted: str, line: int) -> Iterator[Fault]:
    """Yield a fault where a template names one that is not there, itself, or a place outside."""
    where = f"{root / name}:{line}"
    if ".." in wanted.split("/") or wanted.startswith("/"):
        why = "a template reads the theme's files and the shipped ones only"
        yield Fault(f'"{wanted}" reaches out of the theme', where=where, why=why)
        return
    if wanted == name:
        cure = f'write "{PREFIX}/{name}" for the shipped one'
        yield Fault(f'"{wanted}" is this template itself', where=where, cure=cure)
        return
    own = set(files_of(root)) | shipped_paths()
    shipped = {f"{PREFIX}/{path}" for path in shipped_paths()}
    if wanted not in own | shipped:
        yield Fault(f'there is no template "{wanted}"', where=where, cure=nearest(wanted, own | shipped))


def _block_faults(tree: nodes.Template, where: str) -> Iterator[Fault]:
    """Yield a fault for each block that the extended template does not have: it would never be shown."""
    extends = tree.find(nodes.Extends)
    if extends is None or not isinstance(extends.template, nodes.Const):
        return
    path = str(extends.template.value).removeprefix(f"{PREFIX}/")
    if path not in shipped_paths():
        return
    known, own = shipped_blocks(path), [block for block in tree.body if isinstance(block, nodes.Block)]
    for block in own:
        if block.name not in known:
            yield Fault(
                f'there is no block "{block.name}" in {path}',
                where=f"{where}:{block.lineno}",
                why=f"blocks: {', '.join(known) or 'none'}",
                cure=nearest(block.name, known),
            )


def _passage_faults(tree: nodes.Template, name: str, where: str) -> Iterator[Fault]:
    """Yield a fault for each passage that nothing calls, or that takes other arguments than ours."""
    shipped = {macro.name: _arguments(macro) for macro in _shipped(name).find_all(nodes.Macro)}
    for macro in tree.find_all(nodes.Macro):
        place = f"{where}:{macro.lineno}"
        if macro.name.startswith("_"):
            continue
        if macro.name not in shipped:
            yield Fault(
                f'there is no passage "{macro.name}" in {name}',
                where=place,
                why=f"passages: {', '.join(shipped)}; a macro of your own begins with _",
                cure=nearest(macro.name, shipped),
            )
        elif _arguments(macro) != shipped[macro.name]:
            wanted = ", ".join(shipped[macro.name])
            yield Fault(f'the passage "{macro.name}" takes ({wanted})', where=place)


def _arguments(macro: nodes.Macro) -> tuple[str, ...]:
    return tuple(argument.name for argument in macro.args)
