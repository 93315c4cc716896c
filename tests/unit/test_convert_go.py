"""Go's templates as oh-my-posh writes them, in ohud's words."""

import pytest

from ohud.convert.go import Reading, Translator, Untranslatable, bare

FIELDS = {
    "Name": Reading("name"),
    "Count": Reading("count", "@", True),
    "Cost": Reading("cost", "@ | money"),
    "Deep.Er": Reading("deep.er"),
    "Pair": Reading("pair", "@[0] ~ @[1]", test="@[0] or @[1]"),
}


def translated(text: str) -> tuple[str, list[str]]:
    """The template with fields as `@name@`, and what was lost."""
    translator = Translator(lambda path: FIELDS.get(".".join(path)), lambda tag: {"b": "bold", "#fff": "fg:w"}.get(tag))
    made = translator.translate(text)
    return made.text, made.lost


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("{{ .Name }}", "{{ @name@ }}"),
        ("a {{- .Name -}} b", "a{{ @name@ }}b"),
        ("{{/* said */}}x", "x"),
        ("{{ .Cost }}", "{{ @cost@ | money }}"),
        ("{{ .Deep.Er }}", "{{ @deep_er@ }}"),
        ("{{ if .Name }}yes{{ else }}no{{ end }}", "{% if @name@ %}yes{% else %}no{% endif %}"),
        (
            "{{ if gt .Count 5 }}a{{ else if eq .Name \"x\" }}b{{ end }}",
            "{% if (@count@ or 0) > 5 %}a{% elif @name@ == 'x' %}b{% endif %}",
        ),
        ("{{ if and .Name (not .Count) }}a{{ end }}", "{% if @name@ and (not @count@) %}a{% endif %}"),
        ("{{ if .Pair }}{{ .Pair }}{{ end }}", "{% if @pair@[0] or @pair@[1] %}{{ @pair@[0] ~ @pair@[1] }}{% endif %}"),
        ("{{ with .Name }}<{{ . }}>{{ end }}", "{% if @name@ %}<{{ @name@ }}>{% endif %}"),
        ("{{ $x := .Name }}{{ $x }}", "{{ @name@ }}"),
        ("{{ .Name | upper | trunc 3 }}", "{{ ((@name@ | upper) | string)[:3] }}"),
        ('{{ printf "%.1f%%" .Count }}', "{{ '%.1f%%' | format(@count@ or 0) }}"),
        ('{{ default "none" .Name }}', "{{ @name@ or 'none' }}"),
        ('{{ replace "a" "b" .Name }}', "{{ @name@ | replace('a', 'b') }}"),
        ('{{ url .Name "https://example.com" }}', "{{ @name@ | string | link('https://example.com') }}"),
        ("{{ add .Count 1 }}", "{{ (@count@ or 0) + 1 }}"),
        ("{{ ternary \"y\" \"n\" .Name }}", "{{ 'y' if @name@ else 'n' }}"),
        ("<b>{{ .Name }}</b>!", "{{ (@name@) | style('bold') }}!"),
        ("<#fff>hi</>", "{{ 'hi' | style('fg:w') }}"),
        (
            "<#fff>hi {{ .Name }}</>",
            "{% set part1 %}hi {{ @name@ }}{% endset %}{{ part1 | style('fg:w') }}",
        ),
        ("<unknown>kept", "<unknown>kept"),
        ("{{ `{{` }} {% x %}", "{{ '{{' }}{{ ' {% x %}' }}"),
    ],
)  # fmt: skip
def test_translation(text: str, expected: str) -> None:
    """A template that has a counterpart is turned into it, with nothing lost."""
    assert translated(text) == (expected, [])


@pytest.mark.parametrize(
    ("text", "expected", "lost"),
    [
        ("a{{ .Missing }}b", "ab", "`.Missing` has no counterpart"),
        ("{{ if .Missing }}a{{ else }}b{{ end }}", "b", "has no counterpart"),
        ("{{ if .Missing }}a{{ else if .Name }}b{{ end }}", "{% if @name@ %}b{% endif %}", "has no counterpart"),
        ("{{ readFile \"/etc/passwd\" }}x", "x", "the function `readFile` has no counterpart"),
        ("{{ range .Name }}x{{ end }}y", "y", "`range` has no counterpart"),
        ("{{ end }}x", "", "without a beginning"),
        ("{{ .Name | }}", "", "not a template of Go"),
        ("{{ ( .Name }}", "", "is not closed"),
        ("{{ $y }}", "", "the variable `$y` is not known"),
        ("{{ printf \"%d %d\" .Count }}", "", "`printf` has no counterpart"),
    ],
)  # fmt: skip
def test_what_has_no_counterpart_is_lost_alone(text: str, expected: str, lost: str) -> None:
    """A part that cannot be translated prints nothing and is named; the rest stays."""
    made, said = translated(text)
    assert made == expected
    assert any(lost in one for one in said)


def test_a_template_cannot_grow_without_bound() -> None:
    """Variables that double each other end in a reason, not in memory."""
    text = '{{ $a := "x" }}' + "{{ $a = cat $a $a }}" * 60 + "{{ $a }}"
    _, lost = translated(text)
    assert any("too long" in one for one in lost)


def test_nesting_has_an_end() -> None:
    """Conditions nested beyond reason are refused as a whole."""
    with pytest.raises(Untranslatable, match="nested too deep"):
        translated("{{ if .Name }}" * 40 + "x" + "{{ end }}" * 40)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("((a))", "a"), ("(a) or (b)", "(a) or (b)"), ("('(') ~ (b)", "('(') ~ (b)"), ("(')')", "')'"), ("", "")],
)
def test_bare(text: str, expected: str) -> None:
    """Only parentheses around the whole are taken off, whatever stands in quotes."""
    assert bare(text) == expected
