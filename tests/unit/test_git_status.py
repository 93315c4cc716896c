"""Figures of real repositories, counted by the jobs that a refresher runs, and a git that misbehaves."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ohud.refresh import git_diff, git_head, git_status
from ohud.refresh._git import GitError
from ohud.run.world import World

pytestmark = pytest.mark.skipif(os.name != "posix", reason="refreshers run where processes can be forked")
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git on this machine")
NONE: dict[str, Any] = {"staged": 0, "modified": 0, "untracked": 0, "conflicts": 0, "dirty": False}
NONE |= {"ahead": None, "behind": None}


class Repository:
    """A repository with a commit of one file, made and changed by git itself."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")
        self.write("file.txt", "one\ntwo\nthree\n")
        self.commit("first")

    def git(self, *words: str, check: bool = True) -> str:
        """What a plain git prints here, without any config of this machine."""
        env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
        names = {"AUTHOR": "Dev", "COMMITTER": "Dev"}
        env |= {
            f"GIT_{role}_{key}": value for role in names for key, value in (("NAME", "Dev"), ("EMAIL", "d@e.invalid"))
        }
        command = ["git", "-c", "protocol.file.allow=always", *words]
        done = subprocess.run(command, cwd=self.root, env=env, capture_output=True, text=True, check=False)
        assert not check or done.returncode == 0, done.stderr
        return done.stdout

    def write(self, name: str, text: str) -> Path:
        """Puts a file into the working tree."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def commit(self, message: str) -> None:
        """Commits all there is."""
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def place(self) -> dict[str, str]:
        """What the jobs are handed."""
        inside = self.git("rev-parse", "--absolute-git-dir").strip()
        return {"root": str(self.root), "git": inside}

    def status(self, **env: str) -> dict[str, Any]:
        """The figures of `git status`."""
        return git_status.work(self.place(), world(self.root, **env))

    def lines(self) -> tuple[int | None, int | None]:
        """Lines added and removed."""
        found = git_diff.work(self.place(), world(self.root))
        return found["added"], found["removed"]


def world(root: Path, **env: str) -> World:
    """A user without any config of their own."""
    return World({"PATH": os.environ["PATH"], "HOME": str(root.parent / "home"), **env})


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    """A clean repository."""
    return Repository(tmp_path / "repo")


def none_but(**figures: Any) -> dict[str, Any]:
    """The figures of a clean repository but for some."""
    return {**NONE, "dirty": True, **figures}


@needs_git
def test_clean(repo: Repository) -> None:
    """Nothing to report is zeros, and without an upstream nothing is known of one."""
    assert repo.status() == NONE
    assert repo.lines() == (0, 0)


@needs_git
def test_each_kind_of_change(repo: Repository) -> None:
    """Staged, modified, both at once, deleted, untracked files and folders; ignored ones do not count."""
    for name in ("a", "b", "c", "d"):
        repo.write(name, "1\n2\n")
    repo.write(".gitignore", "*.tmp\n")
    repo.commit("more")
    repo.write("a", "1\n2\n3\n")
    repo.git("add", "a")
    repo.write("b", "1\n")
    repo.write("c", "x\n")
    repo.git("add", "c")
    repo.write("c", "y\nz\n")
    (repo.root / "d").unlink()
    repo.write("new file", "1\n")
    repo.write("folder/x", "1\n")
    repo.write("folder/y", "1\n")
    repo.write("ignored.tmp", "1\n")
    repo.write("staged new", "unlike any other\n")
    repo.git("add", "staged new")
    assert repo.status() == none_but(staged=3, modified=3, untracked=2)
    assert repo.lines() == (1 + 2 + 1, 1 + 2 + 2)


@needs_git
def test_renamed_file_is_one(repo: Repository) -> None:
    """As in `git status`, also when it is changed a little, and its old name is no entry."""
    repo.write("long.txt", "".join(f"line {number}\n" for number in range(50)))
    repo.commit("long")
    repo.git("mv", "file.txt", "? 1 odd name")
    repo.git("mv", "long.txt", "longer.txt")
    repo.write("longer.txt", (repo.root / "longer.txt").read_text() + "one more\n")
    repo.git("add", "-A")
    assert repo.status() == none_but(staged=2)
    assert repo.git("status", "--porcelain").count("R ") == 2
    repo.write("another.txt", "one\ntwo\n")
    repo.git("add", "-A")
    assert repo.lines() == (3, 0)


@needs_git
def test_names_cannot_pass_for_entries(repo: Repository) -> None:
    """Line ends, blanks and marks in names are parts of names."""
    for name in ("a\n? b", "u x", "# branch.ab +7 -7", " ", "1 .M"):
        repo.write(name, "")
    assert repo.status() == none_but(untracked=5)


@needs_git
def test_conflicts(repo: Repository) -> None:
    """An unmerged file is a conflict and nothing else."""
    repo.git("checkout", "-q", "-b", "other")
    repo.write("file.txt", "one\nOTHER\nthree\n")
    repo.commit("other")
    repo.git("checkout", "-q", "main")
    repo.write("file.txt", "one\nMAIN\nthree\n")
    repo.commit("main")
    repo.git("merge", "other", check=False)
    assert repo.status() == none_but(conflicts=1)


@needs_git
def test_upstream(repo: Repository, tmp_path: Path) -> None:
    """Ahead and behind count commits; an upstream that is gone is none."""
    bare = tmp_path / "bare.git"
    repo.git("init", "-q", "--bare", str(bare))
    repo.git("remote", "add", "origin", str(bare))
    repo.git("push", "-q", "-u", "origin", "main")
    assert repo.status() == {**NONE, "ahead": 0, "behind": 0}
    for number in range(3):
        repo.write("file.txt", f"{number}\n")
        repo.commit("more")
    assert repo.status() == {**NONE, "ahead": 3, "behind": 0}
    repo.git("push", "-q")
    repo.git("reset", "-q", "--hard", "HEAD~2")
    repo.write("mine", "")
    repo.commit("mine")
    assert repo.status() == {**NONE, "ahead": 1, "behind": 2}
    repo.git("update-ref", "-d", "refs/remotes/origin/main")
    assert repo.status() == NONE


@needs_git
def test_detached(repo: Repository) -> None:
    """A detached HEAD has changes and no upstream."""
    repo.git("checkout", "-q", "--detach")
    repo.write("file.txt", "1\n")
    assert repo.status() == none_but(modified=1)
    assert repo.lines() == (1, 3)


@needs_git
def test_before_the_first_commit(tmp_path: Path) -> None:
    """All that is staged is new, and there is nothing to count lines against."""
    repo = Repository(tmp_path / "repo")
    repo.git("checkout", "-q", "--orphan", "fresh")
    assert repo.status() == none_but(staged=1)
    assert repo.lines() == (None, None)
    repo.commit("after all")
    assert repo.lines() == (0, 0)


@needs_git
def test_linked_worktree(repo: Repository, tmp_path: Path) -> None:
    """It has changes of its own."""
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "tree"))
    (tmp_path / "tree" / "file.txt").write_text("1\n")
    side = Repository.__new__(Repository)
    side.root = tmp_path / "tree"
    assert side.status() == none_but(modified=1)
    assert repo.status() == NONE


@needs_git
def test_submodules(repo: Repository, tmp_path: Path) -> None:
    """
    What changes inside of a submodule is its own affair, which commit it is at is not; asked from within, it is a
    repository like any other.
    """
    library = Repository(tmp_path / "library")
    repo.git("submodule", "--quiet", "add", str(library.root), "lib")
    repo.commit("with a library")
    (repo.root / "lib" / "file.txt").write_text("changed\n")
    assert repo.status() == NONE
    inside = Repository.__new__(Repository)
    inside.root = repo.root / "lib"
    assert inside.status()["modified"] == 1
    inside.commit("changed")
    assert repo.status() == none_but(modified=1)
    assert repo.lines() == (0, 0)
    repo.git("add", "lib")
    assert repo.status() == none_but(staged=1)


@needs_git
def test_submodule_at_another_commit_runs_nothing(repo: Repository, tmp_path: Path) -> None:
    """Its own config may name what it will: git does not run in it."""
    fired = tmp_path / "fired"
    library = Repository(tmp_path / "library")
    repo.git("submodule", "--quiet", "add", str(library.root), "lib")
    repo.commit("with a library")
    repo.git("-C", "lib", "commit", "-q", "--allow-empty", "-m", "another")
    repo.git("config", "-f", ".gitmodules", "submodule.lib.ignore", "none")
    repo.git("config", "diff.ignoreSubmodules", "none")
    repo.git("config", "status.submoduleSummary", "true")
    repo.git("-C", "lib", "config", "core.fsmonitor", f"touch {fired}; false")
    assert repo.status() == none_but(modified=2)
    repo.lines()
    assert not fired.exists()
    # The control: a plain git does run it.
    repo.git("status", check=False)
    assert fired.exists()


@needs_git
def test_order_of_a_diff_names_no_file(repo: Repository) -> None:
    """Neither one that is missing, which would end git, nor one that never ends."""
    repo.write("file.txt", "changed\n")
    for path in ("nowhere", "/dev/zero"):
        repo.git("config", "diff.orderFile", path)
        assert repo.status() == none_but(modified=1)
        assert repo.lines() == (1, 3)


@needs_git
def test_folder_that_no_list_of_paths_can_hold(tmp_path: Path) -> None:
    """With a colon in the path a repository has its figures, and a broken one not those of the one around it."""
    repo = Repository(tmp_path / "a:b" / "repo")
    repo.write("file.txt", "changed\n")
    assert repo.status() == none_but(modified=1)
    broken = repo.root / "inner"
    (broken / ".git").mkdir(parents=True)
    (broken / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    with pytest.raises(GitError, match="another repository"):
        git_status.work({"root": str(broken), "git": str(broken / ".git")}, world(broken))


@needs_git
def test_bare_repository_has_no_figures(repo: Repository, tmp_path: Path) -> None:
    """There is no working tree to look at."""
    bare = tmp_path / "bare.git"
    repo.git("clone", "-q", "--bare", str(repo.root), str(bare))
    with pytest.raises(GitError):
        git_status.work({"root": str(bare), "git": str(bare)}, world(bare))


@needs_git
def test_broken_repository_is_not_its_parent(repo: Repository) -> None:
    """Where git sees no repository, the one around it is not asked."""
    repo.write("file.txt", "changed\n")
    broken = repo.root / "inner"
    (broken / ".git").mkdir(parents=True)
    (broken / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    with pytest.raises(GitError):
        git_status.work({"root": str(broken), "git": str(broken / ".git")}, world(broken))
    linked = repo.root.parent / "linked"
    linked.symlink_to(broken)
    with pytest.raises(GitError):
        git_status.work({"root": str(linked), "git": str(linked / ".git")}, world(linked))


@needs_git
def test_working_tree_somewhere_else(repo: Repository, tmp_path: Path) -> None:
    """A config that points at another folder gets no figures; one that names the right folder does."""
    repo.git("config", "core.worktree", "/")
    with pytest.raises(GitError, match="somewhere else"):
        repo.status()
    repo.git("config", "core.worktree", "..")
    assert repo.status() == NONE
    repo.git("config", "core.worktree", str(repo.root))
    assert repo.status() == NONE


@needs_git
def test_linked_worktree_of_a_submodule(repo: Repository, tmp_path: Path) -> None:
    """The setting that names the submodule's working tree is not its."""
    library = Repository(tmp_path / "library")
    repo.git("submodule", "--quiet", "add", str(library.root), "lib")
    repo.git("-C", "lib", "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Repository.__new__(Repository)
    side.root = tmp_path / "side"
    side.write("file.txt", "changed\n")
    assert side.status() == none_but(modified=1)
    # Unless every worktree has settings of its own.
    side.git("config", "extensions.worktreeConfig", "true")
    side.git("config", "--worktree", "core.worktree", str(repo.root))
    with pytest.raises(GitError):
        git_status.work({"root": str(side.root), "git": side.place()["git"]}, world(side.root))


@needs_git
def test_index_is_not_touched(repo: Repository) -> None:
    """No lock is taken and nothing is written, though the index is out of date."""
    os.utime(repo.root / "file.txt", (1, 1))
    before = (repo.root / ".git" / "index").read_bytes()
    assert repo.status() == NONE
    assert repo.lines() == (0, 0)
    assert (repo.root / ".git" / "index").read_bytes() == before
    (repo.root / ".git" / "index.lock").touch()
    assert repo.status() == NONE


@needs_git
def test_filters_do_not_run(repo: Repository, tmp_path: Path) -> None:
    """Drivers with odd names, required ones and process ones, in any config file in force."""
    fired = tmp_path / "fired"
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(f'[filter "of the user"]\n\tclean = touch {fired}; cat\n')
    names = ["plain", "with.dots", "With Blanks", "équipe"]
    for number, name in enumerate(names):
        repo.git("config", f"filter.{name}.clean", f"touch {fired}; cat")
        repo.git("config", f"filter.{name}.process", f"touch {fired}; false")
        repo.git("config", f"filter.{name}.required", "true")
        repo.write(f"{number}.bin", "content\n")
    repo.write("user.bin", "content\n")
    repo.git("config", "core.attributesFile", str(repo.root / "attributes"))
    (repo.root / "attributes").write_text(
        "0.bin filter=plain\n1.bin filter=with.dots\nuser.bin filter=of\\ the\\ user\n3.bin filter=équipe\n"
    )
    (repo.root / ".git" / "info" / "attributes").write_text('"2.bin" "filter=With Blanks"\n* filter=plain\n')
    repo.git("-c", "core.attributesFile=/dev/null", "add", "-A", check=False)
    fired.unlink(missing_ok=True)
    for name in os.listdir(repo.root):
        if name != ".git":
            os.utime(repo.root / name, (1, 1))
    assert repo.status()["conflicts"] == 0
    repo.lines()
    assert not fired.exists()
    # The control: a plain git does run them.
    repo.git("status", check=False)
    assert fired.exists()


@needs_git
@pytest.mark.parametrize("section", ['[filter ""]', "[filter.]", '[FILTER "."]', "[filter.Old]", '[filter "a=b"]'])
def test_driver_of_any_name_does_not_run(section: str, repo: Repository, tmp_path: Path) -> None:
    """The empty name is a name too, and `filter=` asks for it."""
    fired = tmp_path / "fired"
    name = {'[filter ""]': "", "[filter.]": "", '[FILTER "."]': ".", "[filter.Old]": "old"}.get(section, "a=b")
    with (repo.root / ".git" / "config").open("a") as config:
        config.write(f"{section}\n\tclean = touch {fired}; cat\n")
    (repo.root / ".git" / "info" / "attributes").write_text(f"* filter={name}\n")
    os.utime(repo.root / "file.txt", (1, 1))
    repo.status()
    repo.lines()
    assert not fired.exists()
    # The control: a plain git does run it.
    repo.git("status", check=False)
    assert fired.exists()


@needs_git
def test_environment_of_the_caller_is_ignored(repo: Repository, tmp_path: Path) -> None:
    """Whoever starts the session from a git hook sees the session's repository."""
    fired = tmp_path / "fired"
    other = Repository(tmp_path / "other")
    other.write("new", "")
    env = {"GIT_DIR": str(other.root / ".git"), "GIT_WORK_TREE": str(other.root), "GIT_INDEX_FILE": "/nowhere"}
    env |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": f"touch {fired}"}
    env |= {"GIT_EXTERNAL_DIFF": f"touch {fired}", "GIT_TRACE": str(fired), "GIT_EXEC_PATH": str(tmp_path)}
    assert repo.status(**env) == NONE
    assert not fired.exists()


@needs_git
def test_head_by_git(repo: Repository) -> None:
    """Branch and commit, as git tells them where files cannot."""
    commit = repo.git("rev-parse", "HEAD").strip()
    assert git_head.work(repo.place(), world(repo.root)) == {"ref": "refs/heads/main", "commit": commit}
    repo.git("checkout", "-q", "--detach")
    assert git_head.work(repo.place(), world(repo.root)) == {"ref": None, "commit": commit}
    repo.git("checkout", "-q", "--orphan", "fresh")
    assert git_head.work(repo.place(), world(repo.root)) == {"ref": "refs/heads/fresh", "commit": None}


def test_entries_of_status() -> None:
    """Each kind of entry of porcelain v2; what is unknown or cut does not count."""
    entries = [
        b"# branch.oid 0123",
        b"# branch.head main",
        b"# branch.upstream origin/main",
        b"# branch.ab +12 -3",
        b"1 M. N... 100644 100644 100644 0 0 staged",
        b"1 .M N... 100644 100644 100644 0 0 modified",
        b"1 MD N... 100644 100644 000000 0 0 both",
        b"2 R. N... 100644 100644 100644 0 0 R100 new",
        b"1 .M N... old name of the renamed one",
        b"u UU N... 100644 100644 100644 100644 0 0 0 unmerged",
        b"? untracked",
        b"! ignored",
        b"",
        b"9 something of a later git",
    ]
    figures = {"staged": 3, "modified": 2, "untracked": 1, "conflicts": 1, "dirty": True, "ahead": 12, "behind": 3}
    assert git_status.parse(entries) == figures
    assert git_status.parse([entries[0], b"# branch.ab +? -?"]) == NONE
    assert git_status.parse([entries[0], b"# branch.ab +1", b"2 R."]) == none_but(staged=1)
    assert git_status.parse([b"# branch.oid (initial)"]) == NONE


@pytest.mark.parametrize("found", [[], [b""], [b"main"], [b"? untracked"], [b"# branch.ab +1 -1"]])
def test_status_without_its_header_is_none(found: list[bytes]) -> None:
    """Whatever ends well and prints nothing has not said that the working tree is clean."""
    with pytest.raises(GitError):
        git_status.parse(found)


def planted(folder: Path, script: str) -> Path:
    """A program named git that is not git."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "git"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return folder


def asked(root: Path, path: str) -> dict[str, Any]:
    return git_status.work({"root": str(root), "git": str(root / ".git")}, World({"PATH": path}))


def test_git_is_looked_up_with_care(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Never in the working tree, in no relative folder, and no folder or plain file of that name."""
    fired = tmp_path / "fired"
    root = tmp_path / "repo"
    bad = planted(root / "bin", f"touch {fired}")
    (tmp_path / "folder" / "git").mkdir(parents=True)
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "git").write_text(f"#!/bin/sh\ntouch {fired}\n")
    (tmp_path / "linked").symlink_to(bad)
    monkeypatch.chdir(bad)
    folders = [".", "", str(bad), str(tmp_path / "folder"), str(tmp_path / "plain"), str(tmp_path / "linked")]
    for path in (":".join(folders), ":", "bin:../bin", str(root / "bin" / ".." / "bin")):
        with pytest.raises(GitError, match="no git on PATH"):
            asked(root, path)
    good = planted(tmp_path / "good", "printf '# branch.oid 1\\0# branch.ab +1 -2\\0'")
    found = asked(root, ":".join([*folders, str(good)]))
    assert found["ahead"] == 1 and not fired.exists()


@pytest.mark.parametrize(
    "script",
    [
        "exit 1",
        "exit 128",
        "echo 'fatal: not a git repository' >&2; exit 128",
        "kill -9 $$",
        "printf '? cut short'",
        "yes",
        "printf 'x'; cat /dev/zero | tr '\\0' x",
        "cat /dev/zero",
    ],
)
def test_git_that_fails_or_floods(script: str, tmp_path: Path) -> None:
    """A failure is told as one, and a flood ends soon and in little memory."""
    (tmp_path / "repo").mkdir()
    # The first call asks for settings.
    script = f'case "$*" in *config*) exit 1;; esac\n{script}'
    began = time.monotonic()
    with pytest.raises(GitError):
        asked(tmp_path / "repo", f"{planted(tmp_path / 'bin', script)}:/usr/bin:/bin")
    assert time.monotonic() - began < 10


@needs_git
@pytest.mark.parametrize("script", ["echo", "printf 'main\\0'", "printf '1\\t2\\0'"])
def test_git_that_prints_something_else_than_counts(script: str, repo: Repository, tmp_path: Path) -> None:
    """Its lines are not counted."""
    script = f'case "$*" in *config*) exit 1;; esac\n{script}'
    path = f"{planted(tmp_path / 'bin', script)}:/usr/bin:/bin"
    with pytest.raises(GitError):
        git_diff.work(repo.place(), World({"PATH": path}))


@pytest.mark.skipif(sys.platform != "linux", reason="other kernels do not count what a program maps")
def test_memory_of_git_is_bounded(tmp_path: Path) -> None:
    """Whatever a repository makes it read."""
    (tmp_path / "repo").mkdir()
    told = tmp_path / "told"
    with pytest.raises(GitError):
        asked(tmp_path / "repo", f"{planted(tmp_path / 'bin', f'ulimit -d >> {told}')}:/usr/bin:/bin")
    assert set(told.read_text().split()) == {str(1 << 20)}


def test_git_that_is_no_program(tmp_path: Path) -> None:
    """A file that may be run and cannot be."""
    folder = planted(tmp_path / "bin", "")
    (folder / "git").write_bytes(b"\x7fELF nothing")
    (tmp_path / "repo").mkdir()
    with pytest.raises(GitError, match="cannot be started"):
        asked(tmp_path / "repo", str(folder))


def test_renames_are_given_up_where_they_cannot_be_found(tmp_path: Path) -> None:
    """In a partial clone the contents may be missing: the other figures still come."""
    (tmp_path / "repo").mkdir()
    script = 'case "$*" in *config*) exit 1;; *--no-renames*) printf "# branch.oid 1\\0? x\\0";; *) exit 128;; esac'
    assert asked(tmp_path / "repo", str(planted(tmp_path / "bin", script))) == none_but(untracked=1)


@needs_git
def test_lines_where_renames_cannot_be_found(repo: Repository, tmp_path: Path) -> None:
    """There a renamed file counts as one that came and one that went."""
    script = (
        'case "$*" in *config*) exit 1;; *rev-parse*) echo 1;;'
        ' *--no-renames*) printf "3\\t1\\tx\\0";; *) exit 128;; esac'
    )
    path = str(planted(tmp_path / "bin", script))
    assert git_diff.work(repo.place(), World({"PATH": path})) == {"added": 3, "removed": 1}


@needs_git
def test_many_changes(repo: Repository) -> None:
    """What does not fit into a pipe at once is counted to the end."""
    for number in range(3000):
        repo.write(f"a rather long name, so that there is much to read, {number}", "")
    assert repo.status() == none_but(untracked=3000)
