"""One value of a JSON text changed, everything else left as it was."""

import json
from typing import Any

import pytest

from ohud.host.splice import DEPTH_LIMIT, Refused, data_of, drop, put, raw_value, top

VALUE = {"type": "command", "command": "x"}
FLAT = '{"type":"command","command":"x"}'
SPACED = '{"type": "command", "command": "x"}'


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("", '{\n  "k": {\n    "type": "command",\n    "command": "x"\n  }\n}\n'),
        ("\ufeff", '\ufeff{\n  "k": {\n    "type": "command",\n    "command": "x"\n  }\n}\n'),
        ("{}", '{\n  "k": {\n    "type": "command",\n    "command": "x"\n  }\n}'),
        ("{ \n }\n", '{\n  "k": {\n    "type": "command",\n    "command": "x"\n  }\n}\n'),
        ('{"a":1}', '{"a":1,"k":' + FLAT + "}"),
        ('{"a": 1, "b": 2}', '{"a": 1, "b": 2, "k": ' + SPACED + "}"),
        ('{ "a": 1 }', '{ "a": 1, "k": ' + SPACED + " }"),
        ('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"k": {\n\t\t"type": "command",\n\t\t"command": "x"\n\t}\n}'),
        ('{\r\n "a": 1\r\n}', '{\r\n "a": 1,\r\n "k": {\r\n  "type": "command",\r\n  "command": "x"\r\n }\r\n}'),
        ('{\n"a": 1\n}', '{\n"a": 1,\n"k": {\n  "type": "command",\n  "command": "x"\n}\n}'),
        ('{"k":null,"a":1}', '{"k":' + FLAT + ',"a":1}'),
        ('{"\\u006b": {"y": 1}}', '{"\\u006b": ' + SPACED + "}"),
        ('{\n  "k": {"y":1},\n  "a": 1\n}', '{\n  "k": ' + FLAT + ',\n  "a": 1\n}'),
    ],
)
def test_put(text: str, new: str) -> None:
    """A value goes where the key is, else behind the last one, in the manner of its surroundings."""
    assert put(text, ("k",), VALUE) == new


def test_put_within() -> None:
    """A key of an inner object; the rest of that object stays, spelling and all."""
    text = '{"k": {"command": "old", "padding": 2.0, "x": 1E2}, "a": 1}'
    assert put(text, ("k", "command"), "new") == text.replace("old", "new")
    assert put(text, ("k", "padding"), 3) == text.replace("2.0", "3")
    assert put(text, ("k", "y"), True) == text.replace("1E2", '1E2, "y": true')
    with pytest.raises(Refused):
        put('{"k": 1}', ("k", "y"), 1)


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ('{"k": 1}', "{}"),
        ('{\n  "a": 1,\n  "k": 2\n}', '{\n  "a": 1\n}'),
        ('{\n  "k": 2,\n  "a": 1\n}', '{\n  "a": 1\n}'),
        ('{"a":1 , "k":2 , "b":3}', '{"a":1 , "b":3}'),
        ('{"a": 1}', '{"a": 1}'),
    ],
)
def test_drop(text: str, new: str) -> None:
    """A key goes with its comma."""
    assert drop(text, ("k",)) == new


def test_raw_value() -> None:
    """A value as it is spelt."""
    assert raw_value('{"k" : [1.0,  2e3]}', "k") == "[1.0,  2e3]"
    assert raw_value("{}", "k") is None and raw_value("", "k") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1]", "it holds a list, not an object"),
        ('"x"', "it holds a text, not an object"),
        ("12", "it holds a single value, not an object"),
        ("null", "it holds a single value, not an object"),
        ('{\n  // no\n"a": 1}', "it has a comment, which is not JSON (line 2, column 3)"),
        ('{"a": 1 /* no */}', "it has a comment, which is not JSON (line 1, column 9)"),
        ("# no\n{}", "it has a comment, which is not JSON (line 1, column 1)"),
        ('{"a": [1,]}', "there is a comma before the end (line 1, column 10)"),
        ('{"a": 1', "it ends in the middle (line 1, column 8)"),
        ('{"a": "b', "it ends in the middle (line 1, column 7)"),
        ("{} {}", "there is more behind the end of the object (line 1, column 4)"),
        ('{"a": -Infinity}', "a number that JSON does not have (line 1, column 7)"),
        ('{"a": 01}', "it is not JSON (line 1, column 7)"),
        ("{'a': 1}", "it is not JSON (line 1, column 2)"),
        ('{"a": "\t"}', "it is not JSON (line 1, column 7)"),
        ('{"a": "\\x"}', "it is not JSON (line 1, column 7)"),
        ('{"a": tru}', "it is not JSON (line 1, column 7)"),
        ('{"a": ' + "[" * DEPTH_LIMIT + "]" * DEPTH_LIMIT + "}", f"it is nested deeper than {DEPTH_LIMIT} levels"),
        ('{"a": ' + "9" * 1001 + "}", "it holds a number of 1001 characters"),
        ("\u00a0{}", "it is not JSON (line 1, column 1)"),
    ],
)
def test_refused(text: str, said: str) -> None:
    """What is not strictly JSON is refused, with the reason and the place."""
    with pytest.raises(Refused) as fault:
        top(text)
    assert fault.value.reason == said


def test_key_twice() -> None:
    """Whoever reads the file decides which of two equal keys counts: it is left alone."""
    for text in ('{"k": 1, "k": 2}', '{"k": 1, "\\u006b": 2}', '{"a": 1, "a": 2}'):
        with pytest.raises(Refused, match="twice"):
            put(text, ("k",), VALUE)


def test_data() -> None:
    """Settings are read as the host reads them."""
    assert data_of(b"") == {} and data_of(b"\xef\xbb\xbf{}") == {}
    assert data_of('{"a": "é\\ud800"}'.encode()) == {"a": "é\ud800"}
    for raw in (b"\xff\xfe{\0}\0", b'{"a":"\xe9"}'):
        with pytest.raises(Refused, match="UTF"):
            data_of(raw)


def test_a_long_text_without_an_end() -> None:
    """A large torn file is refused in one walk."""
    with pytest.raises(Refused):
        top('{"a": "' + "\\n" * 500_000)
    assert isinstance(top('{"a": "' + "x" * 2_000_000 + '"}').members, tuple)


def test_deep_value_is_walked_without_recursion() -> None:
    """Nesting up to the limit is let through."""
    value: Any = 1
    for number in range(DEPTH_LIMIT - 1):
        value = [value] if number % 2 else {"k": value}
    assert put(json.dumps({"a": value}), ("k",), 1).endswith(', "k": 1}')
