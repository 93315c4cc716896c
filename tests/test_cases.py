"""
Every case of tests/cases, or of the folder that `OHUD_CASES` names, holds.

What a later room brings is listed in `LATER`, with the reason; such parts are reported as skipped, by name. An
entry goes when its room is there. `OHUD_CASES_LATER=1` runs the listed parts too.
"""

import os
import re
from pathlib import Path

import case_runner
import pytest
from _pytest.mark import ParameterSet

OWN = Path(__file__).parent / "cases"
FOLDER = Path(os.environ.get("OHUD_CASES") or OWN)

# "case:ID"       the whole case
# "part:NAME"     what a case asks of one command
# "kind:KIND"     cases of the kind that are not in tests/cases: their faults skip them, since nobody has looked at them
# "computed.X"    each expression or render that mentions the field
LATER: dict[str, str] = {}


def reason(case_id: str, part: case_runner.Part) -> str | None:
    """Why a part of a case is not yet covered; None when it must hold."""
    if f"case:{case_id}" in LATER:
        return LATER[f"case:{case_id}"]
    command = f"part:{part.label.split()[0]}"
    if command in LATER:
        return LATER[command]
    for field in LATER:
        if field.startswith("computed.") and re.search(rf"\b{re.escape(field)}\b", part.mentions):
            return LATER[field]
    return None


def _listed() -> list[ParameterSet]:
    """One test for what must hold of each case, and one for each reason why something need not hold yet."""
    rows = []
    for path in sorted(FOLDER.glob("*/case.json")):
        case = case_runner.read(path.parent)
        later: dict[str, list[str]] = {}
        parts = case_runner.parts(case)
        for part in parts:
            why = reason(case["id"], part)
            if why:
                later.setdefault(why, []).append(part.label)
        if sum(map(len, later.values())) < len(parts) or not parts:
            rows.append(pytest.param(path.parent, None, id=case["id"]))
        rows += [pytest.param(path.parent, why, id=f"{case['id']}, later: {why}") for why in later]
    return rows


CASES = _listed()


def test_the_folder_has_cases() -> None:
    """A folder that is named but empty is a mistake."""
    assert CASES, f"no */case.json in {FOLDER}"


@pytest.mark.parametrize("folder, later", CASES)
def test_case(folder: Path, later: str | None, tmp_path: Path) -> None:
    """The case holds in all the parts that are covered."""
    case = case_runner.read(folder)
    chosen = [part for part in case_runner.parts(case) if reason(case["id"], part) == later]
    if later and not os.environ.get("OHUD_CASES_LATER"):
        pytest.skip(f"not yet covered: {later}: {', '.join(part.label for part in chosen)}")
    if not case.get("assert"):
        pytest.skip(f"nothing is asserted: {case.get('note', 'no note')}")
    faults = case_runner.check(folder, tmp_path, case_runner.Commands(), chosen.__contains__)
    lenient = LATER.get(f"kind:{case['kind']}") if not (OWN / folder.name).is_dir() else None
    if faults and lenient and not case_runner.unknown_keys(case):
        pytest.skip(f"not yet covered: {lenient}: {faults[0]}")
    if faults:
        pytest.fail("\n".join([f"{case['id']}: {case['summary']}", *faults]), pytrace=False)
