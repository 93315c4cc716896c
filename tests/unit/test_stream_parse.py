"""Lines, whole outputs and growing streams to messages; what is no message is an error that says where."""

import io
import json
import os
import threading
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some
from streams import CASES, DATA, LINES, ended, init, items, line, name

from ohud.stream import (
    BadLine,
    Init,
    InputMessage,
    Item,
    LastNotResult,
    Message,
    NoMessages,
    ProcessFailed,
    Reader,
    Result,
    ResultIsError,
    StreamError,
    TooLong,
    follow,
    image_block,
    parse_line,
    parse_output,
    read,
    text_block,
)

WHOLE = (DATA / "2.1.332" / "print-hello-partial.ndjson").read_bytes()
ARRAY = CASES / "303-stream-json-array" / "array.json"


def shown(found: list[Item]) -> list[object]:
    """Items in a form that can be compared."""
    return [str(one) if isinstance(one, BadLine) else one for one in found]


@pytest.mark.parametrize("blank", ["", "\n", " \t\r\n", b"", b"\r\n", "\ufeff", b"\xef\xbb\xbf\n"])
def test_blank_line_is_nothing(blank: str | bytes) -> None:
    """A line that says nothing is no message and no error."""
    assert parse_line(blank) is None


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
@pytest.mark.parametrize("start", ["", "\ufeff", "  "])
def test_ends_and_marks_do_not_count(start: str, end: str) -> None:
    """Any end of a line, a byte order mark and blanks leave the message as it is."""
    found = parse_line((start + '{"type":"system","subtype":"init"}' + end).encode())
    assert found == Init({"type": "system", "subtype": "init"})


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ('{"type":"system",1}', 18, "property name"),
        ('{"type": nonsense}', 10, "expected a JSON value"),
        ('{"type":"sys', 9, "unterminated string"),
        ("[]", 1, "expected an object, found an array"),
        ("12", 1, "expected an object, found a number"),
        ("null", 1, "expected an object, found `null`"),
        ('{"a":1} trailing', 8, "more text behind the object"),
        ("not json", 1, "expected a JSON value"),
        ('{"a":' + "[" * 200_000, 1, "nests too deep"),
        ('{"a":' + "9" * 5000 + "}", 1, "too many digits"),
    ],
)
def test_bad_line_says_where(text: str, column: int, reason: str) -> None:
    """A line that is no message is an error with line, column, excerpt and reason."""
    with pytest.raises(BadLine) as caught:
        parse_line(text, 7)
    fault = caught.value
    assert reason in fault.reason
    assert (fault.number, fault.column) == (7, column)
    assert fault.excerpt
    assert fault.excerpt in text
    assert str(fault).startswith("line 7, column %d: " % column)


def test_message_of_a_bad_line_is_harmless() -> None:
    """What a bad line holds reaches an error's text without control characters."""
    with pytest.raises(BadLine) as caught:
        parse_line('{"a":\x1b]0;title\x07\x1b[2J}')
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("path", [path for path in LINES if path.suffix == ".ndjson"], ids=name)
def test_reader_reads_what_lines_say(path: Path) -> None:
    """A reader gives the same messages as the lines one at a time."""
    data = path.read_bytes()
    assert items(data) == [parse_line(one) for one in data.split(b"\n") if one]


def test_output_of_a_good_run() -> None:
    """A run that ended well gives all messages and the result."""
    found = parse_output(WHOLE)
    assert len(found.messages) == WHOLE.count(b"\n")
    assert found.result is found.messages[-1]
    assert found.result.result == "Hello! I am a mock model. How can I help?"


@pytest.mark.parametrize("version", ["2.1.215", "2.1.332"])
def test_output_of_the_json_format(version: str) -> None:
    """The single object of `--output-format json` is a run of one message."""
    found = parse_output((DATA / version / "print-json.json").read_text())
    assert found.messages == (found.result,)
    assert found.result.usage.output_tokens == 17


def test_output_of_the_array_format() -> None:
    """The array of `--output-format json --verbose` is read like lines."""
    found = parse_output(ARRAY.read_bytes())
    assert [one.type for one in found.messages] == ["system", "assistant", "result"]
    assert items(ARRAY.read_bytes()) == list(found.messages)


def test_output_of_a_failed_process() -> None:
    """A status other than 0 comes first, with what the process said."""
    with pytest.raises(ProcessFailed) as caught:
        parse_output(b"nonsense", b"first\nInvalid API key\n", 1)
    assert (caught.value.status, caught.value.stderr) == (1, "first\nInvalid API key\n")
    assert str(caught.value) == "the process ended with status 1: `Invalid API key`"


@pytest.mark.parametrize("nothing", [b"", b"\n\n", "\ufeff", b"[]"])
def test_output_without_messages(nothing: bytes | str) -> None:
    """No output, or one of blank lines, is an error of its own."""
    with pytest.raises(NoMessages, match="no message"):
        parse_output(nothing)


def test_output_that_does_not_end_in_a_result() -> None:
    """A run that was cut off is an error, and what it has is attached."""
    with pytest.raises(LastNotResult) as caught:
        parse_output(init() + line("keep_alive"))
    assert len(caught.value.messages) == 2
    assert str(caught.value) == "the last message is no result but of type `keep_alive`"


def test_output_whose_result_is_an_error() -> None:
    """A failed run is an error with its messages, whatever the subtype says."""
    with pytest.raises(ResultIsError) as caught:
        parse_output(init() + ended(is_error=True, result="API Error: 401"))
    assert len(caught.value.messages) == 2
    assert caught.value.result is caught.value.messages[-1]
    assert str(caught.value) == "the run failed: `API Error: 401`"


@pytest.mark.parametrize(
    ("output", "place"),
    [
        (init() + b"oops\n" + ended(), (2, 1)),
        (b'[{"type":"system"},\n{"type":}]', (2, 9)),
        (b'[{"type":"system"}, 3]', (1, 1)),
        (b"[] {}", (1, 3)),
    ],
)
def test_output_with_a_bad_line(output: bytes, place: tuple[int, int]) -> None:
    """A line that does not parse is an error with its place, in an array too."""
    with pytest.raises(BadLine) as caught:
        parse_output(output)
    assert (caught.value.number, caught.value.column) == place


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 100, 4096])
def test_pieces_of_any_size(piece: int) -> None:
    """However a stream is cut, the messages are the same."""
    data = (
        b"\xef\xbb\xbf"
        + "\n".join(['{"text":"naïve 漢字 🙂"}', "", "oops", '{"a":"\u2028"}\r']).encode()
        + b"\n"
        + WHOLE
    )
    assert shown(items(data, piece)) == shown(items(data))
    assert items(data)[0] == Message({"text": "naïve 漢字 🙂"})


@pytest.mark.parametrize("piece", [1, 2, 5, 64])
def test_array_in_pieces_of_any_size(piece: int) -> None:
    """An array that comes in pieces gives its messages one by one."""
    data = "\ufeff \n[ %s ]\n".replace("%s", ',\n{"text":"漢字 🙂 \\ud83d"},'.join(['{"a":[{}]}'] * 3)).encode()
    assert items(data, piece) == items(data)
    assert len(items(data)) == 5


def test_array_gives_items_before_its_end() -> None:
    """The first messages of an array are there before the last one."""
    reader = Reader()
    assert reader.feed(b'[{"type":"system"},{"type":"us') == [parse_line('{"type":"system"}')]
    assert reader.feed(b'er"}]') == [parse_line('{"type":"user"}')]
    assert reader.close() == []


@pytest.mark.parametrize(
    ("data", "reasons"),
    [
        (b'[{"a":1},{"b":', ["expected a JSON value"]),
        (b'[{"a":1},', ["no end"]),
        (b'[{"a":1},oops]' + b" " * 20, ["expected a JSON value"]),
        (b'[{"a":1},3,{"b":2}]', ["expected objects"]),
        (b'[{"a":1}] more', ["more text"]),
        (b"[" * 100_000, ["nests too deep"]),
    ],
)
def test_broken_arrays(data: bytes, reasons: list[str]) -> None:
    """Whatever is wrong with an array is told once, and what came before it counts."""
    found = items(data)
    faults = [one for one in found if isinstance(one, BadLine)]
    assert [part in fault.reason for part, fault in zip(reasons, faults, strict=True)] == [True]
    assert b'{"a"' not in data or Message({"a": 1}) in found


@pytest.mark.parametrize("piece", [1, 2, 7, 1000])
@pytest.mark.parametrize(
    "words", ["Now using node v20", "[DEBUG] sent", "[log_1] sent {\n  'a': [1]\n}", "[", "", "[1]"]
)
def test_words_above_the_first_message(words: str, piece: int) -> None:
    """What another program prints first costs no message, also where it begins like an array."""
    above = words.encode() + b"\n"
    array = b"[" + init().strip() + b",\n" + ended().strip() + b"\n]\n"
    for data in (above + init() + ended(), above + array, above * 3 + array.replace(b",\n", b",")):
        found = items(data, piece)
        assert [type(one) for one in found if isinstance(one, Message)] == [Init, Result]
        assert all(isinstance(one, (Message, BadLine)) for one in found)


@pytest.mark.parametrize("piece", [7, 1000])
def test_a_long_line_above_the_first_message(piece: int) -> None:
    """A line over the limit hides no array below it, and is never held."""
    reader, data, found = Reader(limit=100), b"x" * 1000 + b'\n[{"a":1}]', list[Item]()
    for at in range(0, len(data), piece):
        found += reader.feed(data[at : at + piece])
        assert sum(map(len, reader._rest)) <= 100
    assert found + reader.close() == [TooLong(1, 1000), Message({"a": 1})]


@pytest.mark.parametrize("piece", [1, 1000])
def test_all_that_a_line_holds(piece: int) -> None:
    """Objects behind one another, an array, and what a terminal was told before them cost no message."""
    one, two = Message({"a": 1}), Message({"b": 2})
    assert items(b'{"a":1}{"b":2}\n', piece) == [one, two]
    assert items(b'{"a":1} \x1e{"b":2}', piece) == [one, two]
    assert items(b'{"a":1}\n[{"b":2},{"a":1}]\n', piece) == [one, two, one]
    assert items(b'\x1b]0;title\x07\x1b[?25h{"a":1}\x1b[0m\n\x1b]2;t\x1b\\{"b":2}\n', piece) == [one, two]
    found = items(b'{"a":1} and words\n{"b":2}{"c":\n{"a":1}\n', piece)
    assert messages(found) == [one, two, one]
    assert [str(fault) for fault in found if isinstance(fault, BadLine)] == [
        'line 1, column 9: more text behind the object near `{"a":1} and words`',
        'line 2, column 13: expected a JSON value near `{"b":2}{"c":`',
    ]


@pytest.mark.parametrize("piece", [1, 2, 3, 1000])
@pytest.mark.parametrize("code", ["utf-16-le", "utf-16-be"])
def test_wide_bytes_with_a_mark(code: str, piece: int) -> None:
    """What Windows PowerShell has redirected to a file is read, as lines and as an array."""
    for text in ('{"a":"漢🙂"}\r\n{"b":2}\r\n', '[{"a":"漢🙂"},\r\n{"b":2}]\r\n'):
        assert items(("\ufeff" + text).encode(code), piece) == [Message({"a": "漢🙂"}), Message({"b": 2})]


def test_bad_lines_do_not_end_a_stream() -> None:
    """A bad line stands as a value between the messages around it."""
    found = items(init() + b"oops\n" + ended())
    assert [type(one) for one in found] == [Init, BadLine, Result]
    assert isinstance(found[1], BadLine)
    assert (found[1].number, found[1].cut_off) == (2, False)


def test_last_line_without_an_end() -> None:
    """A last line counts when it is whole; half of one is told to be cut off."""
    assert [type(one) for one in items(init() + ended().rstrip())] == [Init, Result]
    found = items(init() + ended()[:40])
    assert isinstance(found[1], BadLine)
    assert found[1].cut_off
    assert found[1].number == 2


def test_lines_over_the_limit_are_skipped() -> None:
    """A line that is too long leaves a note with its length and is never held."""
    reader = Reader(limit=100)
    found: list[Item] = []
    for _ in range(50):
        found += reader.feed(b"x" * 30)
        assert sum(map(len, reader._rest)) <= 100
    found += reader.feed(b"x\n" + init()[:99] + b"\n" + b"y" * 101 + b"\n{}\n")
    assert found[0] == TooLong(1, 1501)
    assert isinstance(found[1], BadLine)
    assert found[2:] == [TooLong(3, 101), Message({})]


def test_array_item_over_the_limit() -> None:
    """An item of an array that is too long ends the reading with a note."""
    reader = Reader(limit=100)
    assert reader.feed(b'[{"a":"' + b"x" * 300) == [TooLong(1, 306)]
    assert reader.feed(b"x" * 300) + reader.close() == []


def test_invalid_bytes_are_replaced() -> None:
    """Bytes that are no UTF-8 do not lose a line."""
    assert items(b'{"a":"\xff\xfe"}\n') == [Message({"a": "\ufffd\ufffd"})]


def test_read_takes_paths_files_and_descriptors(tmp_path: Path) -> None:
    """A path, an open file and a descriptor give the same messages."""
    path = tmp_path / "stream.ndjson"
    path.write_bytes(WHOLE)
    with path.open("rb") as file:
        from_file = list(read(file))
    with path.open("rb") as file:
        from_descriptor = list(read(file.fileno()))
    assert list(read(path)) == from_file == from_descriptor == list(read(io.BytesIO(WHOLE))) == items(WHOLE)


def test_read_does_not_wait_for_more() -> None:
    """Of a pipe, a message is there as soon as its line is, on a descriptor that does not block too."""
    source, sink = os.pipe()
    os.set_blocking(source, False)
    timer = threading.Timer(0.05, os.write, (sink, init()))
    timer.start()
    try:
        found = read(source)
        assert isinstance(next(found), Init)
        os.close(sink)
        assert list(found) == []
    finally:
        timer.join()
        os.close(source)


def test_follow_sees_what_is_appended(tmp_path: Path) -> None:
    """A file that grows is read on, half lines later, and from the start once it has been cut."""
    path = tmp_path / "stream.ndjson"
    path.write_bytes(init() + ended()[:20])
    steps = iter([(True, ended()[20:]), (False, line("keep_alive"))])
    seen: list[str | None] = []

    def pause(seconds: float) -> None:
        assert seconds == 0.01
        more, data = next(steps)
        write(path, data, more)

    for one in follow(path, until=lambda: len(seen) == 3, pause_s=0.01, sleep=pause):
        assert isinstance(one, Message)
        seen.append(one.type)
    assert seen == ["system", "result", "keep_alive"]


def write(path: Path, data: bytes, more: bool) -> None:
    with path.open("ab" if more else "wb") as file:
        file.write(data)


def test_input_of_words() -> None:
    """Words become one line of a user's message with one block."""
    line_of_words = InputMessage.text("hello world\u2028\ud83d").line()
    assert line_of_words.endswith(b"}\n")
    assert line_of_words.count(b"\n") == 1
    found = json.loads(line_of_words)
    assert (found["type"], found["message"]["role"]) == ("user", "user")
    assert found["message"]["content"] == [{"type": "text", "text": "hello world\u2028\ud83d"}]


def test_input_of_blocks() -> None:
    """Blocks are sent as they are, pictures in base 64."""
    made = InputMessage.blocks([text_block("look"), image_block(b"\x89PNG", "image/png")])
    content = json.loads(made.line())["message"]["content"]
    assert content[0] == {"type": "text", "text": "look"}
    assert content[1]["source"] == {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}
    assert made == InputMessage.blocks(content)


def test_deep_lines_cost_little() -> None:
    """Lines made to be slow are refused as fast as they are read."""
    start = time.thread_time()
    found = items((b'{"a":' + b"[" * 100_000 + b"\n") * 10)
    assert len(found) == 10
    assert time.thread_time() - start < 5


PIECES = some.one_of(
    some.sampled_from([b"{}", b"\n", b"\r\n", b"[", b"]", b",", b'{"type":"result"}', b"\xef\xbb\xbf", b'"', b"\\"]),
    some.sampled_from(['{"a":"漢🙂"}'.encode(), b'{"subtype":"init"}\n', b"\xf0\x9f", b"\x00", b"1e999", b" "]),
    some.binary(max_size=6),
)
BYTES = some.lists(PIECES, max_size=30).map(b"".join)


@given(BYTES, some.lists(some.integers(0, 200), max_size=8))
def test_any_split_of_any_bytes(data: bytes, cuts: list[int]) -> None:
    """Any bytes in any pieces give the same messages and faults as in one."""
    reader = Reader(limit=60)
    found: list[Item] = []
    places = sorted({min(cut, len(data)) for cut in cuts} | {0, len(data)})
    for start, end in pairwise(places):
        found += reader.feed(data[start:end])
    found += reader.close()
    whole = Reader(limit=60)
    together = whole.feed(data) + whole.close()
    if reader._array is None and whole._array is None:
        assert shown(found) == shown(together)
    elif len(data) <= 60:
        # Where an array is broken, how much of it was there decides what is said of it, not what is read.
        assert messages(found) == messages(together)


def messages(found: list[Item]) -> list[Message]:
    return [one for one in found if isinstance(one, Message)]


@given(BYTES)
def test_any_bytes_raise_only_typed_errors(data: bytes) -> None:
    """Neither a line nor a whole output raises anything but the errors that are promised."""
    for attempt in (lambda: parse_line(data), lambda: parse_output(data)):
        try:
            assert attempt() is None or isinstance(attempt(), object)
        except StreamError as fault:
            assert str(fault)
