"""Go's text templates, as oh-my-posh uses them, turned into templates of ohud."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from ohud.convert.draft import literal, quoted
from ohud.errors import quote

_DEEPEST = 12
_MOST = 400  # actions in one template
_LONGEST = 1000  # characters of an expression
_ACTION = re.compile(r"\{\{(-?)\s*(?:/\*.*?\*/\s*(-?)\}\}|(.*?)\s*(-?)\}\})", re.DOTALL)
_TOKEN = re.compile(
    r"""\s*+(?:
    (?P<text>"(?:[^"\\\n]|\\.)*+"|`[^`]*+`|'(?:[^'\\\n]|\\.)*+')
    |(?P<number>-?\d{1,15}(?:\.\d{1,15})?)
    |(?P<field>\$?(?:\.[A-Za-z_]\w*+)++|\$?\.(?![\w]))
    |(?P<variable>\$\w*+)
    |(?P<word>[A-Za-z_]\w*+)
    |(?P<sign>:=|[()|=,])
    )""",
    re.VERBOSE,
)
_TAG = re.compile(r"<(/?)([^<>\n]{0,120})>")


class Untranslatable(Exception):
    """A part of a template that has no counterpart, with the reason in words."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Term:
    """An expression of the template language; `number`: arithmetic may be done with it (null counts as 0)."""

    text: str
    number: bool = False
    constant: str | float | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """
    What a field of the other program is here.

    Takes:  value: JMESPath (empty: none); form: an expression with `@` for the value; number: whether it is one;
            test: a form for conditions, where the other one is long
    """

    value: str
    form: str = "@"
    number: bool = False
    test: str = ""


Look = Callable[[tuple[str, ...]], Reading | None]
Paint = Callable[[str], "str | None"]


@dataclass
class Translation:
    """
    A template on its way: `text` with `@name@` for fields, and which fields these are.

    Takes:  lost: what could not be translated
    """

    text: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    lost: list[str] = field(default_factory=list)


@dataclass
class _Branch:
    """An `if` with its branches, an `else` last (its condition is None)."""

    branches: list[tuple[str | None, list[object]]]


class Translator:
    """
    Turns one template.

    Takes:  look: what a field means; paint: a style text for the inside of a `<...>` tag
    """

    def __init__(self, look: Look, paint: Paint) -> None:
        self.look = look
        self.paint = paint
        self.made = Translation()
        self.names: dict[str, Term] = {}
        self.depth = 0
        self.sets = 0

    def translate(self, text: str) -> Translation:
        """The template; what cannot be translated prints nothing and is in `lost`."""
        body, rest, _ = self._body(_cut(text))
        if rest:
            self.made.lost.append("`{{ end }}` without a beginning")
        self.made.text = self._joined(body)
        return self.made

    def condition(self, text: str) -> tuple[str, str] | None:
        """The condition and the text of a template that is nothing but `{{ if X }}text{{ end }}`."""
        body, _, _ = self._body(_cut(text))
        bodies = [one for one in body if not (isinstance(one, str) and not one.strip())]
        if len(bodies) != 1 or not isinstance(bodies[0], _Branch) or len(bodies[0].branches) != 1:
            return None
        test, inner = bodies[0].branches[0]
        said = "".join(one for one in inner if isinstance(one, str))
        return (test, said.strip()) if test is not None and all(isinstance(one, str) for one in inner) else None

    def _body(self, queue: list[tuple[str, str]]) -> tuple[list[object], list[tuple[str, str]], str]:
        """Pieces up to an `else` or `end`: raw texts, printed expressions and branches; the rest; the last word."""
        made: list[object] = []
        queue = list(queue)
        while queue:
            kind, text = queue.pop(0)
            if kind == "text":
                made.append(text)
                continue
            word = text.split(None, 1)[0] if text.strip() else ""
            if word in ("end", "else"):
                return made, queue, text
            if word in ("if", "with", "range", "block", "define"):
                branch, queue = self._branch(word, text[len(word) :], queue)
                made.append(branch)
            elif text.strip():
                self._print(text, made)
        return made, [], ""

    def _branch(self, word: str, test: str, queue: list[tuple[str, str]]) -> tuple[object, list[tuple[str, str]]]:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Untranslatable("the template is nested too deep")
        branches: list[tuple[str | None, list[object]]] = []
        known: str | None = None
        failed = word not in ("if", "with")
        if failed:
            self.made.lost.append(f"`{word}` has no counterpart that could be made without knowing the list")
        else:
            known, failed = self._test(test, word)
        while True:
            body, queue, end = self._body(queue)
            if not failed:
                branches.append((known, body))
            if not end.startswith("else"):
                break
            after = end[4:].strip()
            if after.startswith(("if", "with")):
                known, failed = self._test(after.split(None, 1)[-1], word)
            else:
                known, failed = None, False
        self.depth -= 1
        return _Branch(branches), queue

    def _test(self, text: str, word: str) -> tuple[str | None, bool]:
        """The condition, and whether it could not be translated: then its branch is never taken."""
        try:
            term = self._pipeline(_tokens(text), word == "if")
        except Untranslatable as fault:
            self.made.lost.append(f"{quote(word + ' ' + text.strip())}: {fault.reason}")
            return None, True
        if word == "with":
            self.names["."] = term
        return bare(term.text), False

    def _print(self, text: str, made: list[object]) -> None:
        try:
            tokens = _tokens(text)
            if len(tokens) > 2 and tokens[0][0] == "variable" and tokens[1][1] in (":=", "="):
                self.names[tokens[0][1]] = self._pipeline(tokens[2:])
                return
            term = self._pipeline(tokens)
        except Untranslatable as fault:
            self.made.lost.append(f"{quote(text.strip())}: {fault.reason}")
            return
        made.append(term)

    # Expressions

    def _pipeline(self, tokens: list[tuple[str, str]], test: bool = False) -> Term:
        if test and len(tokens) == 1 and tokens[0][0] == "field":
            return self._field(tokens[0][1], True)
        commands: list[list[tuple[str, str]]] = [[]]
        level = 0
        for token in tokens:
            level += (token[1] == "(") - (token[1] == ")") if token[0] == "sign" else 0
            if token == ("sign", "|") and level == 0:
                commands.append([])
            else:
                commands[-1].append(token)
        result: Term | None = None
        for command in commands:
            result = self._command(command, result)
            if len(result.text) > _LONGEST:
                raise Untranslatable("it becomes too long")
        if result is None:
            raise Untranslatable("it is empty")
        return result

    def _command(self, tokens: list[tuple[str, str]], piped: Term | None) -> Term:
        if not tokens:
            raise Untranslatable("it is not a template of Go")
        kind, text = tokens[0]
        if kind == "word" and text not in ("true", "false", "nil"):
            given = self._operands(tokens[1:])
            return call(text, given + ([piped] if piped is not None else []))
        operands = self._operands(tokens)
        if kind == "field" and text.endswith(".Format") and len(operands) == 2:
            return operands[0]
        if len(operands) != 1 or piped is not None:
            raise Untranslatable("a value cannot be called")
        return operands[0]

    def _operands(self, tokens: list[tuple[str, str]]) -> list[Term]:
        found: list[Term] = []
        at = 0
        while at < len(tokens):
            kind, text = tokens[at]
            if (kind, text) == ("sign", "("):
                end = _closing(tokens, at)
                self.depth += 1
                if self.depth > _DEEPEST:
                    raise Untranslatable("it is nested too deep")
                inner = self._pipeline(tokens[at + 1 : end])
                self.depth -= 1
                found.append(inner)
                at = end + 1
                continue
            found.append(self._operand(kind, text))
            at += 1
        return found

    def _operand(self, kind: str, text: str) -> Term:
        if kind == "text":
            said = _unquoted(text)
            return Term(quoted(said), constant=said)
        if kind == "number":
            return Term(text, True, float(text))
        if kind == "word" and text in ("true", "false", "nil"):
            return Term("none" if text == "nil" else text)
        if kind == "variable":
            if text in self.names:
                return self.names[text]
            raise Untranslatable(f"the variable {quote(text)} is not known")
        if kind == "field":
            return self._field(text)
        raise Untranslatable(f"{quote(text)} has no counterpart")

    def _field(self, text: str, test: bool = False) -> Term:
        path = tuple(text.lstrip("$").split(".")[1:])
        if path == ("",):
            if "." in self.names:
                return self.names["."]
            raise Untranslatable("the whole segment is no value")
        reading = self.look(path)
        if reading is None:
            raise Untranslatable(f"{quote(text)} has no counterpart")
        if not reading.value:
            return Term(reading.form, constant=reading.form[1:-1] if reading.form.startswith("'") else None)
        name = next((known for known, value in self.made.fields.items() if value == reading.value), None)
        if name is None:
            name = re.sub(r"\W", "", "_".join(path[-2:])).lower()[:30] or "field"
            while name in self.made.fields:
                name += "_"
            name = re.sub(r"_{2,}", "_", name).strip("_")
            base, number = name, 2
            while name in self.made.fields:
                name, number = f"{base}_{number}", number + 1
            self.made.fields[name] = reading.value
        form = (reading.test or reading.form) if test else reading.form
        said = form.replace("@", f"@{name}@")
        return Term(said if form == "@" else f"({said})", reading.number)

    # Text

    def _joined(self, body: list[object]) -> str:
        """The pieces as a template, tags in their texts as styles."""
        layers: list[tuple[str, str]] = [("", "")]  # style, text so far
        for one in body:
            if isinstance(one, str):
                self._text(one, layers)
            else:
                said = _printed(one) if isinstance(one, Term) else self._branches(one)
                layers[-1] = (layers[-1][0], layers[-1][1] + said)
        while len(layers) > 1:
            self._close(layers)
        return layers[0][1]

    def _text(self, text: str, layers: list[tuple[str, str]]) -> None:
        at = 0
        for tag in _TAG.finditer(text):
            style = self.paint(tag[2]) if not tag[1] else ""
            if style is None:
                continue
            layers[-1] = (layers[-1][0], layers[-1][1] + literal(text[at : tag.start()]))
            at = tag.end()
            if tag[1]:
                if len(layers) > 1:
                    self._close(layers)
            else:
                layers.append((style, ""))
        layers[-1] = (layers[-1][0], layers[-1][1] + literal(text[at:]))

    def _close(self, layers: list[tuple[str, str]]) -> None:
        style, text = layers.pop()
        if style and text:
            if "{" not in text:
                text = "{{ " + f"{quoted(text)} | style({quoted(style)})" + " }}"
            elif re.fullmatch(r"\{\{ [^{}]* \}\}", text):
                text = "{{ (" + text[3:-3] + f") | style({quoted(style)})" + " }}"
            else:
                self.sets += 1
                name = f"part{self.sets}"
                text = f"{{% set {name} %}}{text}{{% endset %}}{{{{ {name} | style({quoted(style)}) }}}}"
        layers[-1] = (layers[-1][0], layers[-1][1] + text)

    def _branches(self, branch: object) -> str:
        if not isinstance(branch, _Branch) or not branch.branches:
            return ""
        if branch.branches[0][0] is None:
            return self._joined(branch.branches[0][1])
        said = ""
        for number, (test, body) in enumerate(branch.branches):
            word = "else" if test is None else "elif" if number else "if"
            said += f"{{% {word}{' ' + test if test is not None else ''} %}}" + self._joined(body)
        return said + "{% endif %}"


def bare(text: str) -> str:
    """An expression without the parentheses around the whole of it."""
    while text.startswith("(") and text.endswith(")"):
        level = 0
        plain = re.sub(r"'(?:[^'\\]|\\.)*'", lambda found: "x" * len(found[0]), text)
        for at, one in enumerate(plain):
            level += (one == "(") - (one == ")")
            if level == 0 and at < len(text) - 1:
                return text
        text = text[1:-1]
    return text


def _printed(term: Term) -> str:
    return literal(term.constant) if isinstance(term.constant, str) else "{{ " + bare(term.text) + " }}"


def _cut(text: str) -> list[tuple[str, str]]:
    """The template as texts and actions, white space trimmed where it says so."""
    parts: list[tuple[str, str]] = []
    at = 0
    trim = False
    for found in _ACTION.finditer(text):
        before = text[at : found.start()]
        before = before.lstrip() if trim else before
        before = before.rstrip() if found[1] else before
        parts += [("text", before)] if before else []
        if found[3] is not None:
            parts.append(("action", found[3]))
        trim = bool(found[2] or found[4])
        at = found.end()
        if len(parts) > _MOST:
            raise Untranslatable(f"the template has more than {_MOST} parts")
    rest = text[at:].lstrip() if trim else text[at:]
    return parts + ([("text", rest)] if rest else [])


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at = 0
    text = text.strip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None or match.end() == at:
            raise Untranslatable("it is not a template of Go")
        found.append((str(match.lastgroup), match[match.lastgroup or 0]))
        at = match.end()
    return found


def _closing(tokens: list[tuple[str, str]], at: int) -> int:
    level = 0
    for number in range(at, len(tokens)):
        if tokens[number][0] == "sign":
            level += (tokens[number][1] == "(") - (tokens[number][1] == ")")
            if level == 0:
                return number
    raise Untranslatable("a parenthesis is not closed")


def _unquoted(text: str) -> str:
    if text.startswith("`"):
        return text[1:-1]
    plain = re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text[1:-1])
    plain = re.sub(r"\\x([0-9a-fA-F]{2})", lambda found: chr(int(found[1], 16)), plain)
    said = re.sub(r"\\(.)", lambda found: {"n": "\n", "t": " "}.get(found[1], found[1]), plain)
    return "".join(
        one
        for one in said
        if one == "\n" or (ord(one) >= 32 and not 0x7F <= ord(one) < 0xA0 and not 0xD800 <= ord(one) < 0xE000)
    )


# Functions: of Go, of Sprig and of oh-my-posh


def _number(term: Term) -> str:
    """A term where a number is needed: null counts as 0."""
    return term.text if term.constant is not None else f"({bare(term.text)} or 0)"


_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_ARITHMETIC = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "//",
    "mod": "%",
    "addf": "+",
    "subf": "-",
    "mulf": "*",
    "divf": "/",
}
_FILTERS = {
    "upper": "upper", "lower": "lower", "title": "title", "trim": "trim", "int": "int", "int64": "int",
    "toString": "string",
    "base": "basename", "abs": "abs", "floor": "int", "osBase": "basename", "print": "string", "html": "string",
    "secondsRound": "duration", "first": "first", "last": "last", "len": "length",
}  # fmt: skip


def call(name: str, given: list[Term]) -> Term:
    """
    A call of a function as an expression.

    Errors: Untranslatable for a function without counterpart, and for a wrong number of operands
    """
    if name in _COMPARE and len(given) >= 2:
        return _compare(_COMPARE[name], given)
    if name in ("and", "or") and given:
        return Term("(" + f" {name} ".join(one.text for one in given) + ")", all(one.number for one in given))
    if name in ("not", "empty") and len(given) == 1:
        return Term(f"(not {given[0].text})")
    if name in _ARITHMETIC and len(given) >= 2:
        return Term("(" + f" {_ARITHMETIC[name]} ".join(map(_number, given)) + ")", True)
    if name in ("add1",) and len(given) == 1:
        return Term(f"({_number(given[0])} + 1)", True)
    if name in ("max", "min") and given:
        return Term("([" + ", ".join(bare(_number(one)) for one in given) + f"] | {name})", True)
    if name in _FILTERS and len(given) == 1:
        return Term(f"({given[0].text} | {_FILTERS[name]})", name in ("int", "int64", "abs", "floor", "len"))
    made = _SPECIAL[name](given) if name in _SPECIAL and len(given) == _SPECIAL_COUNT.get(name, len(given)) else None
    if made is None:
        raise Untranslatable(f"the function {quote(name, 30)} has no counterpart")
    return made


def _compare(sign: str, given: list[Term]) -> Term:
    first, *others = given
    numbers = sign not in ("==", "!=") or all(one.number for one in given)
    said = _number if numbers else lambda term: term.text
    return Term("(" + " or ".join(f"{said(first)} {sign} {said(other)}" for other in others) + ")")


def _printf(given: list[Term]) -> Term | None:
    if not given or not isinstance(given[0].constant, str):
        return None
    form = given[0].constant.replace("%v", "%s")
    signs = re.findall(r"%[-+ #0]*\d{0,2}(?:\.\d{1,2})?([a-zA-Z%])", form)
    needed = [one for one in signs if one != "%"]
    if len(needed) != len(given) - 1 or set(needed) - set("dfFegs"):
        return None
    said = [_number(one) if sign != "s" else one.text for sign, one in zip(needed, given[1:], strict=True)]
    return Term(f"({quoted(form)} | format({', '.join(map(bare, said))}))")


def _trunc(given: list[Term]) -> Term | None:
    count = given[0].constant
    if not isinstance(count, float):
        return None
    return Term(
        f"({given[1].text} | string)[{int(count)}:]" if count < 0 else f"({given[1].text} | string)[:{int(count)}]"
    )


def _prefix(given: list[Term], end: bool) -> Term | None:
    said = given[0].constant
    if not isinstance(said, str) or not said:
        return None
    part = f"[-{len(said)}:]" if end else f"[:{len(said)}]"
    return Term(f"(({given[1].text} | string){part} == {quoted(said)})")


_SPECIAL: dict[str, Callable[[list[Term]], Term | None]] = {
    "printf": _printf,
    "trunc": _trunc,
    "replace": lambda given: Term(f"({given[2].text} | replace({bare(given[0].text)}, {bare(given[1].text)}))"),
    "default": lambda given: Term(f"({given[1].text} or {given[0].text})", given[0].number and given[1].number),
    "coalesce": lambda given: Term("(" + " or ".join(one.text for one in given) + ")"),
    "contains": lambda given: Term(f"({given[0].text} in ({given[1].text} | string))"),
    "hasPrefix": lambda given: _prefix(given, False),
    "hasSuffix": lambda given: _prefix(given, True),
    "ternary": lambda given: Term(f"({given[0].text} if {given[2].text} else {given[1].text})"),
    "round": lambda given: Term(f"({given[0].text} | round({given[1].text if len(given) > 1 else '0'}))", True),
    "date": lambda given: given[1],
    "url": lambda given: Term(f"({given[0].text} | string | link({bare(given[1].text)}))"),
    "path": lambda given: given[0],
    "nospace": lambda given: Term(f"({given[0].text} | replace(' ', ''))"),
    "cat": lambda given: Term("(" + " ~ ' ' ~ ".join(one.text for one in given) + ")"),
    "float64": lambda given: given[0],
}  # fmt: skip
_SPECIAL_COUNT = {
    "trunc": 2, "replace": 3, "default": 2, "contains": 2, "hasPrefix": 2, "hasSuffix": 2, "ternary": 3, "date": 2,
    "url": 2, "path": 2, "nospace": 1, "float64": 1,
}  # fmt: skip
