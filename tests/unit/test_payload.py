"""Standard input: what is read, how long it is waited for, and what the bytes mean."""

import json
import os
import pty
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ohud.run import payload

OBJECT = b'{"model":{"id":"claude-opus-4-6","display_name":"Opus 4.6"},"cwd":"/home/dev/demo"}'
Pieces = list[bytes | float]


@pytest.fixture(params=["pipe", "socket"])
def ends(request: pytest.FixtureRequest) -> Iterator[tuple[int, int]]:
    """A reading and a writing descriptor; the host hands over sockets."""
    if request.param == "pipe":
        reader, writer = os.pipe()
    else:
        left, right = socket.socketpair()
        reader, writer = left.detach(), right.detach()
    yield reader, writer
    for each in (reader, writer):
        try:
            os.close(each)
        except OSError:
            pass


def write(writer: int, pieces: Pieces, close: bool) -> threading.Thread:
    """Texts are written, numbers are waited for [s]."""

    # Its own descriptor: the number of a closed one may be another test's by the time it writes.
    own = os.dup(writer)
    if close:
        os.close(writer)

    def work() -> None:
        # The kernel may give the alarm to any thread; a refresh has but one.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        try:
            for piece in pieces:
                if isinstance(piece, float):
                    time.sleep(piece)
                else:
                    rest = piece
                    while rest:
                        rest = rest[os.write(own, rest) :]
        except OSError:
            pass
        os.close(own)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def timed(fd: int) -> tuple[bytes | None, float]:
    start = time.monotonic()
    return payload.read(fd), time.monotonic() - start


def test_object_at_end_of_file_is_read(ends: tuple[int, int]) -> None:
    write(ends[1], [OBJECT], close=True)
    assert payload.read(ends[0]) == OBJECT


def test_writer_that_never_closes_is_not_waited_for(ends: tuple[int, int]) -> None:
    write(ends[1], [OBJECT + b"\n"], close=False)
    raw, seconds = timed(ends[0])
    assert payload.parse(raw) == json.loads(OBJECT)
    assert seconds < 0.6


def test_text_behind_the_object_does_not_count_towards_the_limit(ends: tuple[int, int]) -> None:
    whole = b'{"a":"' + b"x" * (payload.LIMIT - 100) + b'"}'
    write(ends[1], [whole[:1000], 0.05, whole[1000:] + b" " * 100000], close=True)
    assert payload.parse(payload.read(ends[0])) == json.loads(whole)


def test_slow_writer_with_gaps_is_read_whole_and_no_longer_than_its_object(ends: tuple[int, int]) -> None:
    step = len(OBJECT) // 8 + 1
    pieces: Pieces = []
    for at in range(0, len(OBJECT), step):
        pieces += [OBJECT[at : at + step], 0.06]
    write(ends[1], [*pieces, 5.0], close=False)
    raw, seconds = timed(ends[0])
    assert raw == OBJECT
    assert 0.3 < seconds < 0.95


def test_first_byte_after_200_ms_is_in_time(ends: tuple[int, int]) -> None:
    write(ends[1], [0.2, OBJECT], close=False)
    assert payload.read(ends[0]) == OBJECT


def test_first_byte_after_800_ms_is_late(ends: tuple[int, int]) -> None:
    write(ends[1], [0.8, OBJECT], close=True)
    raw, seconds = timed(ends[0])
    assert raw is None
    assert 0.2 < seconds < 0.7


def test_nothing_written_ends_after_250_ms(ends: tuple[int, int]) -> None:
    raw, seconds = timed(ends[0])
    assert raw is None
    assert 0.2 < seconds < 0.7


def test_stall_inside_the_object_ends_after_a_second(ends: tuple[int, int]) -> None:
    write(ends[1], [OBJECT[:40]], close=False)
    raw, seconds = timed(ends[0])
    assert raw is None
    assert 0.9 < seconds < 2


def test_blanks_alone_are_no_input(ends: tuple[int, int]) -> None:
    write(ends[1], [b"  \r\n\t \n"], close=True)
    assert payload.read(ends[0]) is None


def test_writer_that_dies_inside_the_object_gives_nothing_at_once(ends: tuple[int, int]) -> None:
    write(ends[1], [OBJECT[:40]], close=True)
    raw, seconds = timed(ends[0])
    assert raw is None
    assert seconds < 0.6


def test_what_can_be_no_object_is_given_up_at_once(ends: tuple[int, int]) -> None:
    write(ends[1], [b"[1, 2"], close=False)
    raw, seconds = timed(ends[0])
    assert raw is None
    assert seconds < 0.6


def test_object_of_256_kib_is_read_and_one_byte_more_is_not() -> None:
    for size, given_ in ((payload.LIMIT, True), (payload.LIMIT + 1, False)):
        reader, writer = os.pipe()
        whole = b'{"x":"' + b"a" * (size - 8) + b'"}'
        write(writer, [whole], close=True)
        raw = payload.read(reader)
        assert (raw == whole) is given_
        os.close(reader)


def test_endless_input_ends_soon() -> None:
    reader, writer = os.pipe()
    write(writer, [b'{"a":"', *([b"x\n" * 32768] * 100)], close=True)
    raw, seconds = timed(reader)
    os.close(reader)
    assert raw is None
    assert seconds < 0.6


def test_first_of_two_objects_is_enough(ends: tuple[int, int]) -> None:
    write(ends[1], [OBJECT + b"\n" + OBJECT[:10]], close=False)
    raw, seconds = timed(ends[0])
    assert payload.parse(raw) == json.loads(OBJECT)
    assert seconds < 0.6


def test_byte_order_mark_that_comes_in_pieces_is_read(ends: tuple[int, int]) -> None:
    write(ends[1], [b"\xef", 0.02, b"\xbb", 0.02, b"\xbf" + OBJECT], close=False)
    assert payload.parse(payload.read(ends[0])) == json.loads(OBJECT)


def test_utf_16_in_pieces_ends_with_its_object(ends: tuple[int, int]) -> None:
    text = OBJECT.decode().encode("utf-16")
    write(ends[1], [text[:31], 0.05, text[31:]], close=False)
    raw, seconds = timed(ends[0])
    assert payload.parse(raw) == json.loads(OBJECT)
    assert seconds < 0.6


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_that_comes_byte_by_byte_ends_with_its_object(ends: tuple[int, int], encoding: str) -> None:
    text = ("\ufeff" + OBJECT.decode()).encode(encoding)
    write(ends[1], [text[:1], 0.02, text[1:-2], 0.02, text[-2:-1], 0.02, text[-1:]], close=False)
    raw, seconds = timed(ends[0])
    assert payload.parse(raw) == json.loads(OBJECT)
    assert seconds < 0.6


def test_object_cut_anywhere_is_never_taken_for_whole() -> None:
    tricky = b'{"a\\\\":"}{\\"}","b":[{"c":"\\\\\\"}"},{}],"d":"\xf0\x9f\x9a\x80]"}'
    assert payload.parse(tricky) is not None
    for at in range(1, len(tricky)):
        reader, writer = os.pipe()
        thread = write(writer, [tricky[:at], 0.004, tricky[at:]], close=False)
        assert payload.read(reader) == tricky, at
        thread.join()
        os.close(reader)
        os.close(writer)


def test_terminal_is_not_read() -> None:
    master, slave = pty.openpty()
    os.write(master, OBJECT + b"\n")
    raw, seconds = timed(slave)
    assert raw is None
    assert seconds < 0.6
    os.close(master)
    os.close(slave)


def test_directory_and_closed_descriptor_are_no_input() -> None:
    folder = os.open("/", os.O_RDONLY)
    assert payload.read(folder) is None
    os.close(folder)
    assert payload.read(folder) is None


def test_regular_file_and_empty_device_are_read(tmp_path: object) -> None:
    path = os.path.join(str(tmp_path), "payload.json")
    with open(path, "wb") as file:
        file.write(b"\n" + OBJECT + b"   \r\n")
    with open(path, "rb") as file:
        assert payload.parse(payload.read(file.fileno())) == json.loads(OBJECT)
    with open("/dev/null", "rb") as file:
        assert payload.read(file.fileno()) is None
    with open("/dev/zero", "rb") as file:
        assert payload.read(file.fileno()) is None


def test_descriptor_that_does_not_block_is_waited_for(ends: tuple[int, int]) -> None:
    os.set_blocking(ends[0], False)
    write(ends[1], [0.1, OBJECT[:20], 0.05, OBJECT[20:]], close=False)
    assert payload.read(ends[0]) == OBJECT


def test_other_threads_read_by_the_same_contract(ends: tuple[int, int]) -> None:
    found: list[tuple[bytes | None, float]] = []
    thread = threading.Thread(target=lambda: found.append(timed(ends[0])))
    thread.start()
    thread.join()
    assert found[0][0] is None
    assert 0.2 < found[0][1] < 0.5


def test_alarm_handler_and_timer_are_left_as_they_were(ends: tuple[int, int]) -> None:
    def handler(number: int, frame: object) -> None: ...

    before = signal.signal(signal.SIGALRM, handler)
    try:
        assert payload.read(ends[0]) is None
        assert signal.getsignal(signal.SIGALRM) is handler
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    finally:
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b"{}", {}),
        (b' \r\n\t{"a":1}', {"a": 1}),
        (b"\xef\xbb\xbf" + b'{"a":1}', {"a": 1}),
        ('{"a":"é漢"}'.encode("utf-16-le"), None),
        (b"\xff\xfe" + '{"a":"é漢"}'.encode("utf-16-le"), {"a": "é漢"}),
        (b"\xfe\xff" + '{"a":"é漢"}'.encode("utf-16-be"), {"a": "é漢"}),
        (b'{"a":"caf\xe9"}', {"a": "caf\ufffd"}),
        (b'{"a":1,"a":2}', {"a": 2}),
        (b'{"a":1}{"a":2}', {"a": 1}),
        (b'{"a":1} and more', {"a": 1}),
        (b'{"a":NaN,"b":[Infinity,-Infinity]}', {"a": None, "b": [None, None]}),
        (b'{"a":"tab\there"}', {"a": "tab\there"}),
        (b'{"a":"\\ud800"}', {"a": "\ud800"}),
        (b'{"a":12345678901234567890123}', {"a": 12345678901234567890123}),
        (b'{"a":' + b"9" * 5000 + b"}", None),
        (b'{"a":' + b"[" * 600 + b"]" * 600 + b"}", None),
        (b'{"a":' + b"[" * 300 + b"]" * 300 + b',"b":[' + b"{}," * 600 + b"0]}", ...),
        (b'{"a":' * 20000 + b"1" + b"}" * 20000, None),
        (b'{"a":' * 20000, None),
        (b'{"a":"' + b"[" * 1000 + b'"}', {"a": "[" * 1000}),
        (b"", None),
        (None, None),
        (b"  \n", None),
        (b"null", None),
        (b"[]", None),
        (b"[{}]", None),
        (b'"x"', None),
        (b"1", None),
        (b'{"a":1', None),
        (b"{'a':1}", None),
        (b"{a:1}", None),
        (b"\0" * 100, None),
        (b"\xff\xfe", None),
        (b"\xff\xfe{", None),
    ],
)
def test_bytes_mean(raw: bytes | None, value: object) -> None:
    """Whatever the bytes, there is an object or nothing."""
    found = payload.parse(raw)
    assert isinstance(found, dict) if value is ... else found == value


def test_number_past_the_floats_is_an_infinity_for_the_cleaning_to_drop() -> None:
    found = payload.parse(b'{"a":1e999}')
    assert found is not None and found["a"] == float("inf")


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_give_an_object_or_nothing(raw: bytes) -> None:
    assert isinstance(payload.parse(raw), dict | None)
    assert isinstance(payload.parse(b'{"a":' + raw), dict | None)


# Surrogates have no bytes of their own, and a byte order mark may not begin the text.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(TEXT, JSON, max_size=5), st.booleans(), st.sampled_from(["utf-8", "utf-16"]))
def test_any_object_is_read_as_json_reads_it(value: dict[str, object], escaped: bool, encoding: str) -> None:
    raw = json.dumps(value, ensure_ascii=escaped).encode(encoding)
    assert payload.parse(raw) == value


def test_scanner_of_the_library_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    fast: Callable[[str, int], object] = payload._scan
    for text in ('{"a":[1,2.5,"x\\u00e9",null,true,NaN]}', '{"a":"\t"} tail'):
        assert fast(text, 0) == payload._slow_scan(text, 0)
    monkeypatch.setattr(payload, "_scan", payload._slow_scan)
    assert payload.parse(b'{"a":1') is None
    assert payload.parse(b'{"a":NaN}') == {"a": None}
