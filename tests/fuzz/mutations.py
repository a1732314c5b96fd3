# SPDX-License-Identifier: BSD-3-Clause
"""Changes of files that know what files are made of: numbers, words, lines, pieces, references to each other.

Bytes that are turned over at random mostly give what is refused in the first line. These changes repeat a reference, close
a circle, say a number that is extreme or thousands of digits long, nest what may be nested and leave open what has to be
closed. What is drawn depends on the generator alone.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from random import Random

from seeds import Files

MOST_BYTES = 200_000
"""Most bytes of a drawn file: more cost time, and say nothing new."""

_NUMBERS = [
    b"0", b"-0", b"1", b"-1", b"2", b"255", b"65536", b"2147483647", b"2147483648", b"-2147483648", b"4294967295",
    b"4294967296", b"9007199254740993", b"9223372036854775807", b"9223372036854775808", b"-9223372036854775808",
    b"18446744073709551616", b"999999999", b"1e308", b"1e999", b"-1e999", b"nan", b"inf", b"1e-320", b"0x7fffffff",
    b"1_000", b"\xd9\xa3", b"\xc2\xb2", b"9" * 400, b"9" * 5000, b"0" * 5000 + b"1", b"1." + b"3" * 5000,
]  # fmt: skip
_WORDS = [
    b"", b" ", b"\t", b"\0", b"\x1b[31m", b"\xe2\x80\xae", b"\xff\xfe", b"a" * 5000, b".", b"..", b"../../etc/passwd",
    b"/dev/zero", b"[", b"]", b"{", b"}", b'"', b"'", b'"""', b"<", b">", b"<!--", b"&", b"&#" + b"9" * 5000 + b";", b"#",
    b"=", b",", b":", b"=>", b"%", b"\\", b"\r\n", b"\n\n", b"\\u0000",
]  # fmt: skip
_NUMBER = re.compile(rb"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_WORD = re.compile(rb"[\w.+-]+")
_WIDTHS = (("<I", 4), (">I", 4), ("<Q", 8), (">Q", 8), (">H", 2))
_INTEGERS = [
    0, 1, 2, 3, 127, 128, 255, 256, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**53, 2**63 - 1, 2**63, 2**64 - 1,
]  # fmt: skip

Change = Callable[[bytes, Random], bytes]


def mutated(files: Files, draws: Random) -> Files:
    """A case with one to eight changes, mostly in one of its files."""
    changed = dict(files)
    for _ in range(draws.choice((1, 1, 1, 2, 3, 8))):
        name = draws.choice(sorted(changed))
        content = changed[name]
        changes = _OF_TEXT if _is_text(content) else _OF_BYTES
        changed[name] = draws.choice(changes)(content, draws)[:MOST_BYTES]
    return {name: seal(content, draws) for name, content in changed.items()}


def _is_text(content: bytes) -> bool:
    return b"\0" not in content[:1024] and content[:4] != b"\211ORR"


def _place(content: bytes, draws: Random) -> int:
    return draws.randrange(len(content) + 1)


def _span(pattern: re.Pattern[bytes], content: bytes, draws: Random) -> tuple[int, int]:
    """A place where the pattern matches; an empty one at random where it does nowhere."""
    start = _place(content, draws)
    found = pattern.search(content, start) or pattern.search(content)
    return found.span() if found is not None else (start, start)


def _other_number(content: bytes, draws: Random) -> bytes:
    begin, end = _span(_NUMBER, content, draws)
    return content[:begin] + draws.choice(_NUMBERS) + content[end:]


def _other_word(content: bytes, draws: Random) -> bytes:
    begin, end = _span(_WORD, content, draws)
    return content[:begin] + draws.choice(_WORDS) + content[end:]


def _same_word_again(content: bytes, draws: Random) -> bytes:
    """A word of the file in place of another one: references repeat, and circles close."""
    begin, end = _span(_WORD, content, draws)
    first, last = _span(_WORD, content, draws)
    return content[:begin] + content[first:last] + content[end:]


def _repeat_lines(content: bytes, draws: Random) -> bytes:
    """Lines again, and again: few or very many times, there or at the end."""
    lines = content.splitlines(keepends=True) or [b"\n"]
    first = draws.randrange(len(lines))
    block = b"".join(lines[first : first + draws.choice((1, 1, 2, 4))])
    times = min(draws.choice((1, 2, 16, 1000, 30_000)), max(1, MOST_BYTES // (len(block) or 1)))
    place = draws.choice((first, len(lines)))
    return b"".join(lines[:place]) + block * times + b"".join(lines[place:])


def _numbered_lines(content: bytes, draws: Random) -> bytes:
    """A line many times, each with another number in place of one of its own: distinct keys and names."""
    lines = content.splitlines(keepends=True) or [b"\n"]
    at = draws.randrange(len(lines))
    _begin, end = _span(draws.choice((_NUMBER, _WORD)), lines[at], draws)
    times = min(draws.choice((10, 1000, 20_000)), max(1, MOST_BYTES // (len(lines[at]) + 6)))
    made = [lines[at][:end] + b"%d" % number + lines[at][end:] for number in range(times)]
    return b"".join(lines[: at + 1]) + b"".join(made) + b"".join(lines[at + 1 :])


def _repeat_bytes(content: bytes, draws: Random) -> bytes:
    """A piece of a line many times: openings that nothing closes, dotted keys, lists."""
    begin = _place(content, draws)
    piece = content[begin : begin + draws.choice((1, 2, 3, 8, 20))] or b"a"
    times = min(draws.choice((2, 50, 3000, 100_000)), MOST_BYTES // len(piece))
    return content[:begin] + piece * times + content[begin:]


def _drop_lines(content: bytes, draws: Random) -> bytes:
    lines = content.splitlines(keepends=True) or [b""]
    first = draws.randrange(len(lines))
    del lines[first : first + draws.choice((1, 1, 2, 8))]
    return b"".join(lines)


def _swap_lines(content: bytes, draws: Random) -> bytes:
    lines = content.splitlines(keepends=True) or [b""]
    first, second = draws.randrange(len(lines)), draws.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]
    return b"".join(lines)


def _nest(content: bytes, draws: Random) -> bytes:
    """What opens, many times, around or in front of a value."""
    opening, closing = draws.choice(((b"[", b"]"), (b"{", b"}"), (b"(", b")"), (b"<zone>", b"</zone>"), (b"a.", b""),
                                     (b'{"a":', b"}"), (b"{a=", b"}"), (b"/*", b"*/")))  # fmt: skip
    begin, end = _span(_WORD, content, draws)
    times = min(draws.choice((1, 100, 5000, 50_000)), MOST_BYTES // (len(opening) + len(closing)))
    close = closing * (times if draws.random() < 0.5 else 0)
    return content[:begin] + opening * times + content[begin:end] + close + content[end:]


def _cut(content: bytes, draws: Random) -> bytes:
    return content[: _place(content, draws)]


def _flip(content: bytes, draws: Random) -> bytes:
    changed = bytearray(content or b"\0")
    for _ in range(draws.choice((1, 1, 2, 4, 16))):
        changed[draws.randrange(len(changed))] = draws.choice((0, 1, 127, 128, 254, 255, draws.randrange(256)))
    return bytes(changed)


def _other_integer(content: bytes, draws: Random) -> bytes:
    form, width = draws.choice(_WIDTHS)
    if len(content) < width:
        return content
    place = draws.randrange(len(content) - width + 1)
    value = draws.choice((*_INTEGERS, len(content), len(content) - place)) % (1 << 8 * width)
    return content[:place] + struct.pack(form, value) + content[place + width :]


def _same_integer_again(content: bytes, draws: Random) -> bytes:
    """A number of the file in place of another one: two references to one thing."""
    _, width = draws.choice(_WIDTHS)
    if len(content) < width:
        return content
    source, target = (draws.randrange(len(content) - width + 1) for _ in range(2))
    return content[:target] + content[source : source + width] + content[target + width :]


def _repeat_piece(content: bytes, draws: Random) -> bytes:
    begin = _place(content, draws)
    piece = content[begin : begin + draws.choice((4, 8, 14, 24, 39, 40, 64, 200))] or b"\0"
    times = min(draws.choice((1, 2, 100, 5000)), MOST_BYTES // len(piece))
    return content[:begin] + piece * times + content[begin:]


def _drop_piece(content: bytes, draws: Random) -> bytes:
    begin = _place(content, draws)
    return content[:begin] + content[begin + draws.choice((1, 4, 8, 32)) :]


_OF_TEXT: list[Change] = [
    _other_number, _other_number, _other_word, _same_word_again, _same_word_again, _repeat_lines, _numbered_lines,
    _repeat_bytes, _drop_lines, _swap_lines, _nest, _cut, _flip,
]  # fmt: skip
_OF_BYTES: list[Change] = [
    _flip, _other_integer, _other_integer, _same_integer_again, _same_integer_again, _repeat_piece, _drop_piece, _cut,
]  # fmt: skip

_MAGIC, _FOOT, _CHUNK, _CHUNK_HEAD, _HEAD = b"\211ORRTR\r\n", b"\211ORREND\n", 0x4B4E4843, 40, 24
_INDEX, _ENTRY, _FOOT_BYTES = 5, 24, 16


def seal(content: bytes, draws: Random) -> bytes:
    """A trace of Orrery's with checksums that are right, mostly; any other content as it is.

    No change keeps a checksum, so that all behind them would be seen by nobody. Some traces get an index that names its
    chunks several times.
    """
    if not content.startswith(_MAGIC) or draws.random() < 0.1:
        return content
    made = bytearray(content)
    if draws.random() < 0.2:
        made = _index_repeated(made, draws.choice((2, 3, 1000)))
    at = _HEAD
    while at + _CHUNK_HEAD <= len(made):
        magic, size = (struct.unpack_from("<I", made, at + offset)[0] for offset in (0, 16))
        if magic != _CHUNK or size > len(made) - at - _CHUNK_HEAD:
            at += 8
            continue
        payload = bytes(made[at + _CHUNK_HEAD : at + _CHUNK_HEAD + size])
        struct.pack_into("<Q", made, at + 32, xxh64(payload, xxh64(bytes(made[at : at + 32]))))
        at += _CHUNK_HEAD + (size + 7) // 8 * 8
    return bytes(made)


def _index_repeated(content: bytearray, times: int) -> bytearray:
    if len(content) < _HEAD + _FOOT_BYTES or not content.endswith(_FOOT):
        return content
    at = struct.unpack_from("<Q", content, len(content) - _FOOT_BYTES)[0]
    if at % 8 or not _HEAD <= at <= len(content) - _FOOT_BYTES - _CHUNK_HEAD or content[at + 4] != _INDEX:
        return content
    size = struct.unpack_from("<I", content, at + 16)[0] // _ENTRY * _ENTRY
    entries = content[at + _CHUNK_HEAD : at + _CHUNK_HEAD + size] * times
    entries = entries[: MOST_BYTES // _ENTRY * _ENTRY]
    head = content[at : at + _CHUNK_HEAD]
    struct.pack_into("<II", head, 16, len(entries), len(entries))
    return content[:at] + head + entries + content[-_FOOT_BYTES:]


_PRIMES = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
_MASK = (1 << 64) - 1
_STRIPE = 32


def _rotated(value: int, bits: int) -> int:
    return (value << bits | value >> (64 - bits)) & _MASK


def _round(lane: int, word: int) -> int:
    return _rotated((lane + word * _PRIMES[1]) & _MASK, 31) * _PRIMES[0] & _MASK


def xxh64(data: bytes, seed: int = 0) -> int:
    """XXH64 (https://xxhash.com), the checksum of a trace's chunks."""
    prime1, prime2, prime3, prime4, prime5 = _PRIMES
    at = len(data) // _STRIPE * _STRIPE
    if at:
        lanes = [(seed + prime1 + prime2) & _MASK, (seed + prime2) & _MASK, seed, (seed - prime1) & _MASK]
        for words in struct.iter_unpack("<4Q", data[:at]):
            lanes = [_round(lane, word) for lane, word in zip(lanes, words, strict=True)]
        value = sum(_rotated(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18), strict=True)) & _MASK
        for lane in lanes:
            value = ((value ^ _round(0, lane)) * prime1 + prime4) & _MASK
    else:
        value = (seed + prime5) & _MASK
    value = (value + len(data)) & _MASK
    while len(data) - at >= 8:
        value = (_rotated(value ^ _round(0, struct.unpack_from("<Q", data, at)[0]), 27) * prime1 + prime4) & _MASK
        at += 8
    if len(data) - at >= 4:
        value = (
            _rotated(value ^ (struct.unpack_from("<I", data, at)[0] * prime1 & _MASK), 23) * prime2 + prime3
        ) & _MASK
        at += 4
    for byte in data[at:]:
        value = _rotated(value ^ (byte * prime5 & _MASK), 11) * prime1 & _MASK
    for bits, prime in ((33, prime2), (29, prime3)):
        value = (value ^ value >> bits) * prime & _MASK
    return value ^ value >> 32
