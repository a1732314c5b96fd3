# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import COUPLED
from orrery.errors import InputError
from orrery.job import ranks as rank_list
from orrery.job.reading import load, parse
from orrery.job.writing import to_toml, to_xml

NEEDS = (
    COUPLED
    + """
memory_bytes = "1GiB"
inside = { latency_at_most_s = "100us", rate_at_least_bytes_per_s = "1Gbit/s" }
[[group.group]]
name = "disk"
processes = "50 %"
speed_at_least = 0.5
[[group.group]]
name = "tape"
[[group.between]]
latency_at_most_s = "1ms"
[[between]]
groups = ["ocean", "air"]
latency_at_most_s = "10ms"
"""
)

# Figure 2 of the paper, with the mistakes of its scan mended.
PAPER = """<grmsJob appId="helloworld-job">
 <task taskId="helloworld-task1">
  <resourcesDescription>
   <topology>
    <group groupId="g1"/>
    <processes>
     <groupIdReference groupId="g1"/>
     <processesCount><value>$NPROCS</value></processesCount>
    </processes>
   </topology>
  </resourcesDescription>
  <execution type="open_mpi">
   <executable><execFile><file><url>gsiftp://host.domain.com/~/hello</url></file></execFile></executable>
   <processesCount><value>$NPROCS</value></processesCount>
  </execution>
 </task>
</grmsJob>
"""


def ranks_of(text: str, size: int) -> dict[str, list[int]]:
    return {group.name: list(group.ranks) for group in parse("job.toml", text.encode()).resolve(size).all}


def test_blanks_and_shares_become_the_ranks_of_each_group() -> None:
    assert ranks_of(COUPLED, 12) == {
        "ocean": [1, 2, 3, 4, 5, 6],  # half of 12, the first that `air` does not have
        "ocean/east": [1, 2, 3],
        "ocean/west": [4, 5, 6],
        "air": [0, 7],
        "io": [8, 9, 10, 11],
    }


def test_colours_number_the_names_and_lead_back_to_them() -> None:
    groups = parse("job.toml", COUPLED.encode()).resolve(8)
    assert [group.colour for group in groups.all] == list(range(5))
    assert all((found := groups.named(group.name)) and found.colour == group.colour for group in groups.all)
    assert groups.innermost() == [3, 1, 1, 2, 2, 4, 4, 3]
    assert groups.named("east") is None


@pytest.mark.parametrize(
    ("counts", "size", "expected"),
    [
        (['"25 %"', '"75 %"'], 8, [2, 6]),
        (['"50 %"', '"50 %"'], 5, [3, 2]),  # both remainders are a half: the first gets it
        (['"33.4 %"', '"33.3 %"', '"33.3 %"'], 10, [4, 3, 3]),
        (["3", '"rest"'], 10, [3, 7]),
        (['"rest"', '"rest"', '"rest"'], 8, [3, 3, 2]),
        (['"$NPROCS"'], 6, [6]),
    ],
)
def test_numbers_of_ranks_add_up(counts: list[str], size: int, expected: list[int]) -> None:
    text = "".join(f'[[group]]\nname = "g{n}"\nprocesses = {count}\n' for n, count in enumerate(counts))
    assert [len(ranks) for ranks in ranks_of(text, size).values()] == expected


def test_a_group_without_a_number_has_what_its_subgroups_have() -> None:
    inner = "".join(f'[[group.group]]\nname = "{name}"\nprocesses = 2\n' for name in "ab")
    text = f'[[group]]\nname = "first"\n{inner}[[group]]\nname = "others"\n'
    assert [len(ranks) for ranks in ranks_of(text, 9).values()] == [4, 2, 2, 5]


def test_what_is_asked_between_groups_leads_to_their_colours() -> None:
    pairs = parse("job.toml", NEEDS.encode()).resolve(12).pairs
    assert [(pair.first, pair.second, pair.asked.latency_at_most_s) for pair in pairs] == [
        (5, 6, 1e-3),  # "io/disk" and "io/tape"
        (0, 3, 1e-2),  # "ocean" and "air"
    ]


def test_a_profile_is_the_same_as_toml_and_as_xml() -> None:
    job = parse("job.toml", NEEDS.encode())
    toml, xml = to_toml(job.profile), to_xml(job.profile)
    assert parse("again.toml", toml.encode()).profile == job.profile
    assert parse("again.xml", xml.encode()).profile == job.profile
    assert to_toml(parse("again.xml", xml.encode()).profile) == toml


def test_the_profile_of_the_paper_is_read(tmp_path: Path) -> None:
    file = tmp_path / "job.xml"
    file.write_text(PAPER)
    job = load(file)
    assert job.profile.name == "helloworld-job"
    assert job.profile.program == "gsiftp://host.domain.com/~/hello"
    assert job.profile.execution == "open_mpi"
    assert [group.ranks for group in job.resolve(4).all] == [(0, 1, 2, 3)]
    assert parse("again.xml", to_xml(job.profile).encode()).profile == job.profile


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[group]]\nname = "a b"', 'job.toml:2: group[0].name: = "a b": expected a name of letters'),
        ('[[group]]\nname = "a"\nproceses = 3', 'job.toml:3: group[0].proceses: unknown key, did you mean "processes"?'),
        ('[[group]]\nname = "a"\nprocesses = 0', "job.toml:3: group[0].processes: = 0: expected a whole number above 0"),
        ('[[group]]\nname = "a"\nprocesses = "all"', "expected a whole number above 0"),
        ('[[group]]\nname = "a"\nprocesses = "120 %"', "a share such as"),
        ('[[group]]\nname = "a"\nprocesses = 3', 'the groups have 3 ranks, but there are 8 to divide; ask for more, one of them processes = "rest"'),
        ('[[group]]\nname = "a"\nprocesses = 9', "the groups have 9 ranks, but there are 8 to divide; ask for fewer"),
        ('[[group]]\nname = "a"\nprocesses = 8\n[[group]]\nname = "b"', "job.toml:4: group[1]: makes no rank of 8"),
        ('[[group]]\nname = "a"\nranks = "0-8"', "job.toml:3: group[0].ranks"),
        ('[[group]]\nname = "a"\nranks = "0-999999999"', "names rank 999999999, but the ranks are 0 to 7"),
        ('[[group]]\nname = "a"\nranks = "0-1"\nprocesses = 3\n[[group]]\nname = "b"', "remove one of both"),
        ('[[group]]\nname = "a"\nranks = "0-1"\n[[group]]\nname = "b"\nranks = "1-7"', "rank 1 is in another group"),
        ('[[group]]\nname = "a"\n[[group]]\nname = "a"', 'job.toml:4: group[1].name: another group beside it is "a"'),
        ('[[group]]\nname = "a"\n[[between]]\ngroups = ["a", "b"]', 'there is no group "b" at this level'),
        ('[[group]]\nname = "a"\n[[group.between]]\nlatency_at_most_s = 1', "has no groups inside"),
        ('[[group]]\nname = "a"\ninside = { latency_at_most_s = "1 hour" }', "expected a number of seconds"),
        ('name = "x"', "job.toml: group: is missing"),
        ("\x00", "job.toml:1:1: not TOML"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_place_and_cure(text: str, said: str) -> None:
    with pytest.raises(InputError) as raised:
        parse("job.toml", text.encode()).resolve(8)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_what_is_asked_between_groups_is_bounded() -> None:
    """400 groups make 79,800 pairs, which a few characters ask for."""
    text = "".join(f'[[group]]\nname = "g{number}"\n' for number in range(400)) + "[[between]]\nlatency_at_most_s = 1\n"
    with pytest.raises(InputError, match=r"job.toml:801: between\[0\]: .* more than 65,536 pairs"):
        parse("job.toml", text.encode()).resolve(400)


_PROCESSES = PAPER[PAPER.index("<processes>") : PAPER.index("</topology>")]
_NESTED = "<group groupId='g'>" * 200 + "</group>" * 200


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"<!DOCTYPE a [<!ENTITY b 'x'>]>{PAPER}", "has a DTD"),
        (f"<?xml version='1.0' encoding='UTF-7'?>{PAPER}+ADw-", "not XML"),
        ("<grmsJob", "not XML"),
        ("<platform/>", "expected <grmsJob>"),
        (PAPER.replace("<group groupId", "<group name"), 'has no "groupId"'),
        (PAPER.replace('<group groupId="g1"/>', '<group groupId="g1" cpus="3"/>'), 'unknown attribute "cpus"'),
        (PAPER.replace('Reference groupId="g1"', 'Reference groupId="g1" cores="3"'), 'unknown attribute "cores"'),
        (PAPER.replace("<value>", '<value unit="1">', 1), 'unknown attribute "unit" (known here: none)'),
        (PAPER.replace("<execFile>", "<arguments/><execFile>"), "<arguments>: not known here"),
        (PAPER.replace("</topology>", _PROCESSES + "</topology>"), '"g1" has a number of processes already'),
        (PAPER.replace("<file>", "<file/><file>"), "expected one <file> inside, found 2"),
        (PAPER.replace("</execution>", "</execution><execution/>"), "expected one <execution> inside, found 2"),
        (PAPER.replace('<group groupId="g1"/>', _NESTED), "deep"),
        (PAPER.replace('<group groupId="g1"/>', '<group groupId="g2"/>'), "names a group that is not in the topology"),
        (PAPER.replace("<execution", "<exekution").replace("</execution", "</exekution"), 'did you mean "execution"?'),
        (PAPER.replace('<group groupId="g1"/>', '<group groupId="g1"/>' * 50_000), "there are more than"),
        (PAPER.replace('<group groupId="g1"/>', '<group groupId="g1"/>' * 200_000), "elements"),
    ],
)
def test_hostile_xml_is_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(InputError) as raised:
        parse("job.xml", text.encode()).resolve(4)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_attribute_of_ours_needs_its_namespace() -> None:
    with pytest.raises(InputError, match='unknown attribute "cores"'):
        parse("job.xml", PAPER.replace('groupId="g1"/>', 'groupId="g1" cores="2"/>', 1).encode())


def test_what_is_no_file_of_a_sensible_size_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        load(tmp_path / "nothing.toml")
    large = tmp_path / "large.toml"
    large.write_bytes(b"#" * (1 << 21))
    with pytest.raises(InputError, match="larger than 1 MiB"):
        load(large)


@given(st.lists(st.integers(0, 199), unique=True))
def test_lists_of_ranks_survive_text(ranks: list[int]) -> None:
    if ranks:
        assert rank_list.parse(rank_list.show(ranks), 200) == ranks


def test_regular_lists_of_ranks_are_short() -> None:
    assert rank_list.show([0, 1, 2, 3, 8, 10, 12, 14]) == "0-3,8-14/2"
    assert rank_list.show(range(0, 65536, 2)) == "0-65534/2"


@given(st.binary(max_size=200))
def test_whatever_is_in_a_file_ends_in_a_profile_or_in_one_line(content: bytes) -> None:
    for begin in (b"", b"<", b"[[group]]\nname = 'a'\n"):
        with suppress(InputError):
            parse("job", begin + content).resolve(4)
