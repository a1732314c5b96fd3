# SPDX-License-Identifier: BSD-3-Clause
"""`orrery platform` and its commands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from orrery.cli.files import OverwriteOption, output_option
from orrery.cli.outputs import by_ending
from orrery.errors import InputError
from orrery.output import STANDARD_OUTPUT, checked

_HELP = """
List, show, draw, compare, convert and explain simulated clusters.

\b
Examples:
  orrery platform list
  orrery platform show graphene
  orrery platform show mine.toml        checks your own file, too
  orrery platform show graphene -o graphene.svg
  orrery platform diff monday.toml friday.toml
  orrery platform import cluster.xml -o cluster.toml
  orrery platform upgrade old.toml -o new.toml
  orrery platform keys transport.queue  what a key or table of the file means
  orrery platform schema -o platform.schema.json
"""

_DIFF_HELP = """
Compare two platforms value by value: is what differs more than their calibrations leave open?

`orrery calibrate` states an interval of 95 % for what it measured. Values whose intervals have something in common are
within them, others are apart; so are values without an interval that are not equal. The ends of regimes are found in
the data, so regimes are compared by what messages of 1 B to 16 MiB cost: overheads, and the time between them.

Processors and network are counted by themselves: a busy host changes what handling a message takes, not rates, limits
or headers. With --same-pace all that processors do is scaled by what a fixed piece of arithmetic took in each
calibration: what is then still apart is not explained by how fast the hosts computed.

Exit code 1: something is apart.

\b
Examples:
  orrery platform diff monday.toml friday.toml
  orrery platform diff monday.toml friday.toml --same-pace
  orrery platform diff openmpi.toml mpich.toml --json
"""

_SHOW_HELP = """
Check a platform and show what is in it: a built-in NAME or a TOML FILE.

To describe a cluster of your own, start from the file of a built-in platform; the first line of the
output says where it is. With -o FILE.svg it is drawn: every node and cable up to some hundred nodes, of larger
platforms a part, and how large the whole is.
"""

_IMPORT_HELP = """
Convert a platform file of SimGrid's (XML, version 4.1) into one of Orrery's.

A platform that is one cluster stays one (a switch, a fat-tree, a torus, a dragonfly); anything else
becomes a graph, with the routes that its zones describe. Such a file has rates and latencies, but not
what a message costs its sender and receiver: the model is fluid.

What a platform of Orrery's cannot say is named: left out with a note (profiles over time, disks,
properties), or refused (wireless links; hosts that no route joins, between which MPI programs could
not send anything; of such files --zone takes one part).

\b
Examples:
  orrery platform import small_platform.xml -o small.toml
  orrery platform import cluster.xml -o cluster.toml --flops 5e9     this host computes 5 Gflop/s
  orrery platform import cloud.xml --zone AS1_dc1 -o dc1.toml        one part
  orrery run -n 4 -p small.toml ./ring
"""


_UPGRADE_HELP = """
Rewrite a platform FILE of version 0.2 in today's words: [hybrid] became [network], [transport] and [node].

Values and comments stay as they are, and predictions do. Without -o the new file is printed.

\b
Example:
  orrery platform upgrade old.toml -o new.toml
"""

_KEYS_HELP = """
Explain the keys of platform files: meaning, values, default, what they need, and what measures them.

Without NAME all tables are printed. NAME is a table or a key with the tables that it is in; some of these may be left
out, and a name alone stands for all keys that have it. With -o FILE.md the reference page is written in Markdown, with
-o FILE.json all of it for programs.

\b
Examples:
  orrery platform keys
  orrery platform keys transport.queue             a table
  orrery platform keys network.between_nodes.protocol
  orrery platform keys latency_s                   every key of this name
  orrery platform keys --markdown > keys.md
  orrery platform keys burst_bytes --json
"""

_SCHEMA_HELP = """
Print the JSON schema of platform files (draft 2020-12), or write it with -o.

Editors complete and check platform files by it. Those that use Taplo (VS Code with "Even Better TOML", Helix, Neovim,
Zed) are told so by the first line of the file:

\b
  #:schema ./platform.schema.json

The schema knows what single keys allow; `orrery platform show FILE` also checks what several of them say together.

\b
Examples:
  orrery platform schema -o platform.schema.json
  orrery platform schema | jq '.properties.network.properties | keys'
"""


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    group = typer.Typer(
        help=_HELP,
        short_help="List, show, draw, compare, convert and explain simulated clusters.",
        rich_markup_mode=None,
    )
    group.callback(invoke_without_command=True)(_root)
    group.command("list", help="List the built-in platforms.")(_list)
    group.command("show", help=_SHOW_HELP, short_help="Check a platform and show what is in it.")(_show)
    group.command("diff", help=_DIFF_HELP, short_help="Compare two platforms and their intervals.")(_diff)
    group.command("import", help=_IMPORT_HELP, short_help="Convert a platform file of SimGrid's.")(_import)
    group.command("upgrade", help=_UPGRADE_HELP, short_help="Rewrite a file of version 0.2.")(_upgrade)
    group.command("keys", help=_KEYS_HELP, short_help="Explain the keys of platform files.")(_keys)
    group.command("schema", help=_SCHEMA_HELP, short_help="Write the JSON schema of platform files.")(_schema)
    app.add_typer(group, name="platform")


def _root(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _list(*, as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False) -> None:
    from orrery.platform.find import builtin_names, find
    from orrery.platform.load import load

    platforms = {name: load(name) for name in builtin_names()}
    if as_json:
        import json

        found = [
            {"name": name, "description": platform.description, "source": platform.source, "file": str(find(name))}
            for name, platform in platforms.items()
        ]
        typer.echo(json.dumps(found, indent=1))
        return
    width = max(len(name) for name in platforms)
    for name, platform in platforms.items():
        typer.echo(f"{name:<{width}}  {platform.description}")
        typer.echo(f"{'':<{width}}  parameters: {platform.source}")


def _show(
    name_or_file: Annotated[str, typer.Argument(metavar="NAME|FILE", help="Built-in platform or TOML file.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="All values, as JSON.")] = False,
    output: Annotated[Path | None, output_option("The drawing to write, FILE.svg.")] = None,
    overwrite: OverwriteOption = False,
) -> None:
    outputs = by_ending([output] if output else None, (".svg",), overwrite=overwrite, read=[Path(name_or_file)])
    from orrery.platform import core
    from orrery.platform.find import find
    from orrery.platform.load import load
    from orrery.report.platform import describe

    platform = load(name_or_file)
    hardware = core.build(platform.model_dump())
    if as_json:
        typer.echo(platform.model_dump_json(indent=1, by_alias=True))
    else:
        typer.echo(describe(platform, hardware, find(name_or_file)), nl=False)
    if outputs:
        from orrery.marks import mark_svg
        from orrery.report.drawing.platform import draw

        outputs[".svg"].write(mark_svg(draw(platform, [host.name for host in hardware.hosts])))


def _diff(
    first: Annotated[str, typer.Argument(metavar="NAME|FILE", help="Built-in platform or TOML file.")],
    second: Annotated[str, typer.Argument(metavar="NAME|FILE", help="Another one.")],
    *,
    same_pace: Annotated[
        bool,
        typer.Option("--same-pace", help="As if the same arithmetic had taken as long in both calibrations."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="All values, equal ones too, as JSON.")] = False,
) -> int:
    from orrery.platform.difference import compare
    from orrery.platform.load import load
    from orrery.report import difference

    one, other = load(first), load(second)
    found = compare(one, other, same_pace=same_pace)
    if as_json:
        import json

        typer.echo(json.dumps(difference.as_json(found), indent=1))
    else:
        difference.write_difference(one, other, found, sys.stdout)
    return 1 if any(value.verdict == "apart" for value in found) else 0


def _import(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="XML file of SimGrid's.")],
    *,
    output: Annotated[Path, output_option("The TOML file to write; by default standard output.")] = STANDARD_OUTPUT,
    overwrite: OverwriteOption = False,
    name: Annotated[str, typer.Option("--name", help="Name of the platform; by default that of the file.")] = "",
    zone: Annotated[
        str, typer.Option("--zone", metavar="ID", help="Only the zone or cluster of this name, and what is in it.")
    ] = "",
    flops: Annotated[
        float | None,
        typer.Option("--flops", metavar="N", help="What this host computes per second, in the file's unit (flop)."),
    ] = None,
) -> None:
    from orrery.platform.simgrid.convert import convert

    if flops is not None and not 0 < flops < float("inf"):
        raise InputError(f"--flops {flops:g}: expected a number above 0")
    out = checked(output, overwrite=overwrite, read=[file])
    converted = convert(file, name or file.stem, flops, zone)
    _check(file, output, converted.toml)
    out.write(converted.toml)
    for what, count in sorted(converted.left_out.items()):
        sys.stderr.write(f"left out: {what} ({count} times)\n")


def _check(source: Path, output: Path, toml: str) -> None:
    """The core may find in a converted platform what the file hid, such as hosts without a way between them."""
    from orrery.platform import core
    from orrery.platform.load import parse

    where = source.with_suffix(".toml") if output == STANDARD_OUTPUT else output
    try:
        hardware = core.build(parse(where, toml).model_dump())
    except InputError as error:
        raise InputError(
            f"{source}: says too little for MPI, which sends between any two hosts; with --zone ID one part of it may do: {error}"
        ) from None
    sys.stderr.write(f"{where}: {len(hardware.hosts):,} hosts, {hardware.link_count:,} links\n")


def _upgrade(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Platform file of version 0.2.")],
    *,
    output: Annotated[Path, output_option("The TOML file to write; by default standard output.")] = STANDARD_OUTPUT,
    overwrite: OverwriteOption = False,
) -> None:
    from orrery.documents import parse_toml
    from orrery.platform.load import parse
    from orrery.platform.upgrade import is_old, upgraded

    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: {getattr(error, 'strerror', None) or 'is not UTF-8 text'}") from None
    if not is_old(parse_toml(file, text)):
        raise InputError(f"{file}: has no [hybrid], so it is of today already")
    out = checked(output, overwrite=overwrite, read=[file])
    new = upgraded(text)
    parse(file, new)
    out.write(new)


def _keys(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Table or key, such as transport.queue; by default all.")
    ] = None,
    *,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="The reference page, in Markdown.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
    output: Annotated[
        Path | None, output_option("The file to write: FILE.md the page, FILE.json all of it for programs.")
    ] = None,
    overwrite: OverwriteOption = False,
) -> None:
    if as_markdown and as_json:
        raise InputError("--markdown and --json: print one of them; -o writes the other")
    if name is not None and (as_markdown or (output and output.suffix.lower() == ".md")):
        raise InputError(
            f"{name}: the page in Markdown is of all keys; leave out the name, or print it without --markdown"
        )
    outputs = by_ending([output] if output else None, (".md", ".json"), overwrite=overwrite)
    from orrery.platform.keys import named
    from orrery.report import platform_keys

    found = None if name is None else named(name)
    if ".md" in outputs:
        outputs[".md"].write(platform_keys.markdown())
    if ".json" in outputs:
        outputs[".json"].write(_json(platform_keys.as_json(found)))
    if as_json:
        typer.echo(_json(platform_keys.as_json(found)), nl=False)
    elif as_markdown:
        typer.echo(platform_keys.markdown(), nl=False)
    elif not outputs:
        import shutil

        width = min(100, shutil.get_terminal_size((100, 24)).columns)
        typer.echo(platform_keys.text(found, width), nl=False)


def _json(keys: list[dict[str, Any]]) -> str:
    import json

    from orrery.marks import mark_json

    return json.dumps(mark_json({"keys": keys}), indent=1) + "\n"


def _schema(
    *,
    output: Annotated[Path, output_option("The file to write; by default standard output.")] = STANDARD_OUTPUT,
    overwrite: OverwriteOption = False,
) -> None:
    import json

    out = checked(output, overwrite=overwrite)
    from orrery.platform.json_schema import schema

    out.write(json.dumps(schema(), indent=1, ensure_ascii=False) + "\n")
