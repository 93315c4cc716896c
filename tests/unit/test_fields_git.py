"""Git: every state of a repository that its files tell without a program, and the ones made to hurt a reader."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pace import bound

from ohud.fields import git
from ohud.run.world import World
from ohud.theme import fieldset

HASH = "0123456789abcdef0123456789abcdef01234567"


def repository(place: Path, head: str = "ref: refs/heads/main\n") -> Path:
    """A repository's own directory with the least that git asks for."""
    (place / "objects").mkdir(parents=True)
    (place / "refs" / "heads").mkdir(parents=True)
    (place / "HEAD").write_text(head, encoding="utf-8")
    return place


def facts(folder: Path | str, world: World | None = None) -> dict[str, Any]:
    payload = {"cwd": "/nowhere", "workspace": {"current_dir": str(folder)}}
    world = world or World({})
    names = ("branch", "detached", "commit", "root", "worktree", "operation")
    return {name: getattr(git, name)(payload, world) for name in names}


NOTHING = dict.fromkeys(("branch", "detached", "commit", "root", "worktree", "operation"))


def test_plain_repository_is_found_from_a_directory_below(tmp_path: Path) -> None:
    place = repository(tmp_path / ".git")
    (place / "refs" / "heads" / "main").write_text(HASH + "\n")
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert facts(tmp_path / "a" / "b") == {
        "branch": "main",
        "detached": False,
        "commit": HASH[:7],
        "root": str(tmp_path),
        "worktree": None,
        "operation": None,
    }


def test_cwd_serves_without_a_workspace(tmp_path: Path) -> None:
    repository(tmp_path / ".git")
    assert git.branch({"cwd": str(tmp_path)}, World({})) == "main"
    assert git.branch({"workspace": "x", "cwd": str(tmp_path) + "/"}, World({})) == "main"
    assert git.root({"cwd": str(tmp_path) + "/"}, World({})) == str(tmp_path)


def test_unborn_branch_has_a_name_and_no_commit(tmp_path: Path) -> None:
    repository(tmp_path / ".git", "ref: refs/heads/trunk\n")
    assert facts(tmp_path)["branch"] == "trunk"
    assert facts(tmp_path)["commit"] is None


def test_packed_refs_are_never_opened(tmp_path: Path) -> None:
    place = repository(tmp_path / ".git", "ref: refs/heads/release/2026.09\n")
    os.mkfifo(place / "packed-refs")
    assert facts(tmp_path)["branch"] == "release/2026.09"
    assert facts(tmp_path)["commit"] is None


@pytest.mark.parametrize("full", [HASH, HASH + "89abcdef" * 3])
def test_detached_head_is_a_commit(tmp_path: Path, full: str) -> None:
    """In SHA-1 and SHA-256 repositories."""
    repository(tmp_path / ".git", full + "\n")
    found = facts(tmp_path)
    assert found["branch"] is None
    assert found["detached"] is True
    assert found["commit"] == HASH[:7]


def test_linked_worktree_has_its_own_head_and_shared_refs(tmp_path: Path) -> None:
    main = repository(tmp_path / "main" / ".git")
    place = main / "worktrees" / "wt"
    place.mkdir(parents=True)
    (place / "HEAD").write_text("ref: refs/heads/feature-x\n")
    (place / "commondir").write_text("../..\n")
    (main / "refs" / "heads" / "feature-x").write_text(HASH)
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {place}\n")
    found = facts(tree)
    assert found["branch"] == "feature-x"
    assert found["worktree"] == "wt"
    assert found["commit"] == HASH[:7]
    assert found["root"] == str(tree)


def test_submodule_is_a_repository_of_its_own(tmp_path: Path) -> None:
    repository(tmp_path / ".git")
    repository(tmp_path / ".git" / "modules" / "lib", "ref: refs/heads/sub-branch\n")
    (tmp_path / "vendor" / "lib").mkdir(parents=True)
    (tmp_path / "vendor" / "lib" / ".git").write_text("gitdir: ../../.git/modules/lib\n")
    found = facts(tmp_path / "vendor" / "lib")
    assert found["branch"] == "sub-branch"
    assert found["worktree"] is None


def test_inside_of_dot_git_and_in_a_bare_repository(tmp_path: Path) -> None:
    place = repository(tmp_path / "work" / ".git")
    assert facts(place)["branch"] == "main"
    assert facts(place)["root"] == str(tmp_path / "work")
    assert facts(place / "refs" / "heads")["branch"] == "main"
    bare = repository(tmp_path / "repo.git", "ref: refs/heads/trunk\n")
    assert facts(bare)["branch"] == "trunk"
    assert facts(bare)["root"] == str(bare)


def test_empty_dot_git_does_not_end_the_way_up(tmp_path: Path) -> None:
    repository(tmp_path / ".git")
    (tmp_path / "a" / ".git").mkdir(parents=True)
    assert facts(tmp_path / "a")["branch"] == "main"


def test_reftable_stub_is_no_branch(tmp_path: Path) -> None:
    repository(tmp_path / ".git", "ref: refs/heads/.invalid\n")
    assert facts(tmp_path) == NOTHING


@pytest.mark.parametrize(
    ("mark", "operation"),
    [
        ("rebase-merge/", "rebase"),
        ("rebase-apply/", "rebase"),
        ("rebase-apply/applying", "am"),
        ("MERGE_HEAD", "merge"),
        ("CHERRY_PICK_HEAD", "cherry-pick"),
        ("REVERT_HEAD", "revert"),
        ("BISECT_LOG", "bisect"),
    ],
)
def test_operation_under_way(tmp_path: Path, mark: str, operation: str) -> None:
    """Git leaves a mark for each."""
    place = repository(tmp_path / ".git")
    folder, _, name = mark.rpartition("/")
    (place / folder).mkdir(exist_ok=True)
    if name:
        (place / mark).touch()
    assert facts(tmp_path)["operation"] == operation


@pytest.mark.parametrize(
    ("steps", "operation"),
    [
        ("pick 0123456 one\npick 1234567 two\n", "cherry-pick"),
        ("p 0123456 one\n", "cherry-pick"),
        ("revert 0123456 one\n", "revert"),
        ("reverted 0123456 one\n", "bisect"),
        ("", "bisect"),
    ],
)
def test_operation_between_two_of_several_steps(tmp_path: Path, steps: str, operation: str) -> None:
    """Once a conflict is committed by hand, the steps that are left are the only mark; they outrank a bisect."""
    place = repository(tmp_path / ".git")
    (place / "sequencer").mkdir()
    (place / "sequencer" / "todo").write_text(steps)
    (place / "BISECT_LOG").touch()
    assert facts(tmp_path)["operation"] == operation


def test_steps_that_are_no_plain_file_are_not_opened(tmp_path: Path) -> None:
    place = repository(tmp_path / ".git")
    (place / "sequencer").mkdir()
    os.mkfifo(place / "sequencer" / "todo")
    assert facts(tmp_path)["operation"] is None


def test_stopped_rebase_names_the_branch_it_will_move(tmp_path: Path) -> None:
    place = repository(tmp_path / ".git", HASH)
    (place / "rebase-merge").mkdir()
    (place / "rebase-merge" / "head-name").write_text("refs/heads/topic\n")
    found = facts(tmp_path)
    assert (found["branch"], found["detached"], found["operation"]) == ("topic", True, "rebase")


@pytest.mark.parametrize(
    "name",
    [
        "$(touch-x);`id`&{{7+7}}%s\"'#!",
        "feature/令牌追踪-🚀-a-very-long-branch-name-that-goes-on-and-on",
        "{{7+7}}{%if-1%}%s%n`id`;&|<x>\"quote'",
        "a",
        "@",
        "x@y",
        "-rf",
    ],
)
def test_every_name_that_git_takes_is_shown_as_it_is(tmp_path: Path, name: str) -> None:
    """Text, not markup."""
    repository(tmp_path / ".git", f"ref: refs/heads/{name}\n")
    assert facts(tmp_path)["branch"] == name


def test_control_characters_that_git_takes_are_dropped_alone(tmp_path: Path) -> None:
    repository(tmp_path / ".git", "ref: refs/heads/a\x9b3b\x9dx\n")
    assert facts(tmp_path)["branch"] == "a3bx"


@pytest.mark.parametrize(
    "head",
    [
        "",
        "\n",
        "ref: ",
        "ref: refs/heads/",
        "ref: refs/heads/main\nline2\nline3\n",
        "ref: refs/tags/../../../etc/passwd\n",
        "ref: refs/heads/../../x",
        "ref: refs/heads/a..b",
        "ref: refs/heads/a.lock",
        "ref: refs/heads/a.lock/b",
        "ref: refs/heads/a/.b",
        "ref: refs/heads/a//b",
        "ref: refs/heads//a",
        "ref: refs/heads/a/",
        "ref: refs/heads/a.",
        "ref: refs/heads/a b",
        "ref: refs/heads/a~1",
        "ref: refs/heads/a^",
        "ref: refs/heads/a:b",
        "ref: refs/heads/a?",
        "ref: refs/heads/a*",
        "ref: refs/heads/a[",
        "ref: refs/heads/a\\b",
        "ref: refs/heads/a@{1}",
        "ref: refs/heads/a\x1b[2J",
        "ref: refs/heads/a\tb",
        "ref: refs/heads/a\x7f",
        "ref: refs/heads/a\0b",
        "ref: refs/heads/" + "a" * 4096,
        "ref: refs/heads/" + "z" * 2_000_000,
        "refs/heads/main",
        HASH[:39],
        HASH + "0",
        HASH.upper(),
        "SECRET-CANARY-VALUE",
    ],
)
def test_head_that_git_would_not_write_is_no_branch(tmp_path: Path, head: str) -> None:
    """Nothing of it is shown."""
    repository(tmp_path / ".git", head)
    assert facts(tmp_path) == NOTHING


def test_head_that_is_no_plain_file_is_not_opened(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("ref: refs/heads/secret\n")
    makers: list[Callable[[Path], None]] = [
        os.mkfifo,
        os.mkdir,
        lambda path: path.symlink_to(secret),
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: path.symlink_to(path),
    ]
    for number, make in enumerate(makers):
        place = repository(tmp_path / str(number) / ".git")
        (place / "HEAD").unlink()
        make(place / "HEAD")
        start, work = time.monotonic(), time.thread_time()
        assert facts(tmp_path / str(number)) == NOTHING
        assert time.thread_time() - work < bound(0.05)
        assert time.monotonic() - start < 2


def test_git_file_traps_are_no_repository(tmp_path: Path) -> None:
    contents: dict[str, bytes] = {
        "gone": f"gitdir: {tmp_path}/nowhere/.git/worktrees/x\n".encode(),
        "self": f"gitdir: {tmp_path}/self/.git\n".encode(),
        "control": b"gitdir: \x1b[2J/x\n",
        "nul": b"gitdir: a\0b\n",
        "long": b"gitdir: " + b"a" * 5000,
        "share": b"gitdir: //127.0.0.1/share\n",
        "empty": b"",
        "words": b"not a git file\n",
    }
    for name, content in contents.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / ".git").write_bytes(content)
        assert facts(tmp_path / name) == NOTHING, name
    for name, target in (("device", "/dev/zero"), ("loop", str(tmp_path / "loop" / ".git"))):
        (tmp_path / name).mkdir()
        os.symlink(target, tmp_path / name / ".git")
        assert facts(tmp_path / name) == NOTHING, name
    (tmp_path / "fifo").mkdir()
    os.mkfifo(tmp_path / "fifo" / ".git")
    assert facts(tmp_path / "fifo") == NOTHING
    (tmp_path / "huge").mkdir()
    (tmp_path / "huge" / ".git").touch()
    os.truncate(tmp_path / "huge" / ".git", 10 * 2**30)
    assert facts(tmp_path / "huge") == NOTHING


def test_git_file_is_followed_for_one_hop_only(tmp_path: Path) -> None:
    repository(tmp_path / "real")
    (tmp_path / "second").write_text(f"gitdir: {tmp_path}/real\n")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / ".git").write_text(f"gitdir: {tmp_path}/second\n")
    assert facts(tmp_path / "tree") == NOTHING


@pytest.mark.skipif(os.name != "posix", reason="links need no privilege here")
def test_way_up_from_a_link_is_that_of_its_target(tmp_path: Path) -> None:
    """As for git, which only knows the real path: the repository that holds the link is not the one it leads into."""
    repository(tmp_path / "holds" / ".git", "ref: refs/heads/wrong\n")
    repository(tmp_path / "target" / ".git")
    (tmp_path / "target" / "a" / "b").mkdir(parents=True)
    (tmp_path / "holds" / "straight").symlink_to(tmp_path / "target" / "a")
    (tmp_path / "holds" / "crooked").symlink_to("../holds/./straight/../a")
    (tmp_path / "holds" / "top").symlink_to("../target")
    for name in ("straight", "straight/b", "crooked", "crooked/b"):
        found = facts(tmp_path / "holds" / name)
        assert (found["branch"], found["root"]) == ("main", str(tmp_path / "target"))
    # A repository that is a link itself keeps the name that the user knows it by.
    found = facts(tmp_path / "holds" / "top" / "a")
    assert (found["branch"], found["root"]) == ("main", str(tmp_path / "holds" / "top"))


@pytest.mark.skipif(os.name != "posix", reason="links need no privilege here")
def test_link_that_leads_out_of_every_repository(tmp_path: Path) -> None:
    repository(tmp_path / "holds" / ".git")
    (tmp_path / "outside").mkdir()
    (tmp_path / "holds" / "link").symlink_to(tmp_path / "outside")
    assert facts(tmp_path / "holds" / "link") == NOTHING


def test_way_up_ends_after_64_levels(tmp_path: Path) -> None:
    repository(tmp_path / ".git")
    near, far = tmp_path.joinpath(*"a" * 63), tmp_path.joinpath(*"a" * 64)
    far.mkdir(parents=True)
    assert facts(near)["branch"] == "main"
    assert facts(far) == NOTHING


def test_way_up_stays_on_one_device(tmp_path: Path) -> None:
    repository(tmp_path / ".git")
    (tmp_path / "mount").mkdir()

    class Mounted(World):
        def stat(self, path: str) -> os.stat_result | None:
            found = super().stat(path)
            if found is None or path != str(tmp_path / "mount"):
                return found
            return os.stat_result([*found[:2], found.st_dev + 1, *found[3:10]])

    assert facts(tmp_path / "mount", Mounted({})) == NOTHING


@pytest.mark.parametrize(
    "folder", ["", " ", "x", "../x", "~/x", "//host/share", "\\\\host\\share", "/a\0b", "-rf", "/dev/null"]
)
def test_directory_that_is_no_local_absolute_one_has_no_repository(folder: str) -> None:
    """Nothing is asked of the process's own directory."""
    assert facts(folder) == NOTHING


def test_removed_directory_has_no_repository(tmp_path: Path) -> None:
    repository(tmp_path / ".git")
    assert facts(tmp_path / "gone") == NOTHING


def test_repository_is_read_once_a_refresh(tmp_path: Path) -> None:
    repository(tmp_path / ".git")
    world = World({})
    facts(tmp_path, world)
    assert world.bytes_read == len("ref: refs/heads/main\n")


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_states_that_git_itself_makes(tmp_path: Path) -> None:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        environment.pop(name, None)

    def run(*arguments: str, check: bool = True) -> str:
        command = [
            "git",
            "-c",
            "user.name=Dev",
            "-c",
            "user.email=dev@example.invalid",
            "-C",
            str(tmp_path),
            *arguments,
        ]
        return subprocess.run(command, env=environment, check=check, capture_output=True, text=True).stdout.strip()

    run("init", "-q", "-b", "main", ".")
    for branch, text in (("main", "1"), ("topic", "t"), ("main", "m")):
        if branch != "main" or text == "m":
            run(*(["checkout", "-q"] + (["-b"] if branch == "topic" else []) + [branch]))
        (tmp_path / "f").write_text(text)
        run("add", "f")
        run("commit", "-q", "-m", text)
    assert facts(tmp_path)["commit"] == run("rev-parse", "HEAD")[:7]
    run("worktree", "add", "-q", "-b", "side", "tree")
    assert facts(tmp_path / "tree")["branch"] == "side"
    assert facts(tmp_path / "tree")["worktree"] == "tree"
    assert facts(tmp_path / "tree")["commit"] == run("rev-parse", "side")[:7]
    run("merge", "topic", check=False)
    assert facts(tmp_path)["operation"] == "merge"
    run("merge", "--abort")
    run("cherry-pick", "topic", check=False)
    assert facts(tmp_path)["operation"] == "cherry-pick"
    run("cherry-pick", "--abort")
    run("checkout", "-q", "topic")
    run("rebase", "main", check=False)
    assert facts(tmp_path)["operation"] == "rebase"
    assert facts(tmp_path)["branch"] == "topic"
    assert facts(tmp_path)["detached"] is True


class Asked(World):
    """A world in which git has given some answers; notes what it was asked."""

    def __init__(self, answers: dict[str, Any] | None = None, **settings: Any) -> None:
        super().__init__({})
        self.answers = answers or {}
        self.asked: list[tuple[Any, ...]] = []
        self.settings = {"git": settings} if settings else {}

    def slow(
        self, job: str, arguments: Any, ttl: float, wait: float = 0.0, deadline: float = 5.0
    ) -> dict[str, Any] | None:
        self.asked.append((job, arguments, ttl, wait, deadline))
        if job not in self.answers:
            return None
        return {"value": self.answers[job], "at": 1.0, "tried": 1.0, "failed": 0}


COUNTED = ("staged", "modified", "untracked", "conflicts", "ahead", "behind")
LINES = ("lines_added", "lines_removed")
STATUS = {"staged": 1, "modified": 2, "untracked": 0, "conflicts": 3, "dirty": True, "ahead": 4, "behind": None}


def figures(folder: Path, world: World) -> dict[str, Any]:
    payload = {"cwd": str(folder)}
    return {name: getattr(git, name)(payload, world) for name in ("dirty", *COUNTED, *LINES)}


def test_figures_are_what_git_has_answered(tmp_path: Path) -> None:
    """One question a job and refresh, about the repository that the files tell, with the config's times."""
    repository(tmp_path / ".git")
    (tmp_path / "below").mkdir()
    answers = {"git_status": STATUS, "git_diff": {"added": 5, "removed": 0}}
    world = Asked(answers, refresh_s=7, wait_ms=30, timeout_ms=2500)
    assert figures(tmp_path / "below", world) == {**STATUS, "lines_added": 5, "lines_removed": 0}
    place = {"root": str(tmp_path), "git": str(tmp_path / ".git")}
    assert world.asked == [("git_status", place, 7, 0.03, 2.5), ("git_diff", place, 7, 0.03, 2.5)]


def test_without_an_answer_nothing_is_known(tmp_path: Path) -> None:
    """And nothing of a git that has failed."""
    repository(tmp_path / ".git")
    unknown = dict.fromkeys(("dirty", *COUNTED, *LINES))
    assert figures(tmp_path, Asked()) == unknown
    assert figures(tmp_path, Asked({"git_status": None, "git_diff": None})) == unknown


@pytest.mark.parametrize("value", [[], "text", 7, True, {}, {"staged": "1", "dirty": 1, "ahead": -1, "added": 1.5}])
def test_answer_of_another_shape_is_none(tmp_path: Path, value: Any) -> None:
    """What lies in the cache is not trusted."""
    repository(tmp_path / ".git")
    found = figures(tmp_path, Asked({"git_status": value, "git_diff": value}))
    assert found == dict.fromkeys(("dirty", *COUNTED, *LINES))


def test_git_is_asked_of_working_trees_only(tmp_path: Path) -> None:
    """Not outside of a repository, not of a bare one, not where HEAD is none."""
    repository(tmp_path / "bare.git")
    repository(tmp_path / "broken" / ".git", "nothing\n")
    (tmp_path / "empty").mkdir()
    world = Asked({"git_status": STATUS})
    for name in ("bare.git", "broken", "empty"):
        world.memo.clear()
        assert figures(tmp_path / name, world)["dirty"] is None
    assert world.asked == []
    repository(tmp_path / "tree" / ".git")
    world.memo.clear()
    assert figures(tmp_path / "tree" / ".git" / "refs", world)["staged"] == 1
    assert world.asked[0][1]["root"] == str(tmp_path / "tree")


def test_cheap_fields_ask_nothing(tmp_path: Path) -> None:
    """Only what a theme names is computed, and what files tell is not asked of git."""
    place = repository(tmp_path / ".git")
    (place / "logs" / "refs").mkdir(parents=True)
    (place / "logs" / "refs" / "stash").write_text("a\nb\n")
    world = Asked()
    assert facts(tmp_path, world)["branch"] == "main"
    assert git.stashes({"cwd": str(tmp_path)}, world) == 2
    assert world.asked == []


def test_stashes_are_the_lines_of_their_log(tmp_path: Path) -> None:
    """None put aside is 0; where it cannot be told there is no number; worktrees share them."""
    place = repository(tmp_path / ".git")
    log = place / "logs" / "refs" / "stash"

    def found(folder: Path = tmp_path) -> int | None:
        return git.stashes({"cwd": str(folder)}, World({}))

    assert found() == 0
    log.parent.mkdir(parents=True)
    log.write_text("")
    assert found() == 0
    log.write_text(f"{HASH} {HASH} Dev <d@e.invalid> 1796040000 +0000\tWIP on main\n" * 3)
    assert found() == 3
    side = place / "worktrees" / "side"
    side.mkdir(parents=True)
    (side / "HEAD").write_text("ref: refs/heads/side\n")
    (side / "commondir").write_text("../..\n")
    (tmp_path / "side").mkdir()
    (tmp_path / "side" / ".git").write_text(f"gitdir: {side}\n")
    assert found(tmp_path / "side") == 3
    log.write_bytes(b"x\n" * 200_000)
    assert found() is None
    log.unlink()
    os.mkfifo(log)
    assert found() is None
    log.unlink()
    log.symlink_to("/etc/passwd")
    assert found() is None
    assert git.stashes({"cwd": "/"}, World({})) is None


def reftable(folder: Path) -> Path:
    place = repository(folder / ".git", "ref: refs/heads/.invalid\n")
    (place / "reftable").mkdir()
    return place


def test_reftable_is_read_by_git(tmp_path: Path) -> None:
    """Branch and commit are asked for once, all else is told by the files; `.invalid` is never shown."""
    place = reftable(tmp_path)
    (place / "MERGE_HEAD").touch()
    world = Asked({"git_head": {"ref": "refs/heads/my-feature", "commit": HASH}})
    assert facts(tmp_path, world) == {
        "branch": "my-feature",
        "detached": False,
        "commit": HASH[:7],
        "root": str(tmp_path),
        "worktree": None,
        "operation": "merge",
    }
    assert [question[0] for question in world.asked] == ["git_head"]
    world = Asked({"git_head": {"ref": None, "commit": HASH}})
    found = facts(tmp_path, world)
    assert (found["branch"], found["detached"], found["commit"]) == (None, True, HASH[:7])
    world = Asked({"git_head": {"ref": "refs/heads/new", "commit": None}})
    found = facts(tmp_path, world)
    assert (found["branch"], found["detached"], found["commit"]) == ("new", False, None)


@pytest.mark.parametrize(
    "told",
    [
        None,
        {},
        [],
        {"ref": "refs/heads/.invalid", "commit": None},
        {"ref": "refs/heads/a\x1b[2J", "commit": "main"},
        {"ref": "HEAD", "commit": HASH},
        {"ref": 1, "commit": 2},
    ],
)
def test_reftable_that_git_cannot_tell(tmp_path: Path, told: Any) -> None:
    """Then there is no branch, and no invented one."""
    reftable(tmp_path)
    found = facts(tmp_path, Asked({"git_head": told}))
    assert (found["branch"], found["commit"], found["detached"]) == (None, None, None)
    assert found["root"] == str(tmp_path)


def test_costly_fields_say_so() -> None:
    """The catalogue knows which fields start a program."""
    fields = fieldset.described(Path(git.__file__).read_text("utf-8"), "git")
    assert {name for name, field in fields.items() if field.cost == "slow"} == {"dirty", *COUNTED, *LINES}
    assert all(field.unit in ("files", "commits", "lines") for name, field in fields.items() if name in COUNTED + LINES)
