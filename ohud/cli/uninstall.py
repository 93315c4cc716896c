"""`ohud uninstall`: what `ohud install` has changed, changed back."""

from __future__ import annotations

import os
from dataclasses import replace

from ohud.cli import DONE, parser
from ohud.cli.install import diff, refuse
from ohud.host import installation, settings
from ohud.host.installation import Record
from ohud.host.process import working_directory
from ohud.host.replace import Rewriting, Rewritten, locked
from ohud.host.splice import Refused, data_of
from ohud.run.program import config_path
from ohud.run.world import World


def run(words: list[str]) -> int:
    """Takes ohud out of the settings; 1 when they are left as they were though it is there."""
    reader = parser("uninstall")
    add = reader.add_argument
    add("--scope", choices=settings.SCOPES, default="user", help="whose settings (default: user)")
    add("--force", action="store_true", help="write a settings file that is marked read-only")
    add("--dry-run", action="store_true", help="show the changes, make none")
    asked = reader.parse_args(words)
    world = World()
    here = working_directory()
    path = None
    folder = installation.record_folder(world)
    record = Record(folder)
    how = Rewriting(backup=True, force=asked.force, dry=asked.dry_run)
    try:
        path = settings.scope_path(asked.scope, world, here)
        known = folder if folder and os.path.isdir(folder) and not asked.dry_run else None
        with locked(known):
            done = installation.uninstall(path, record, how)
            print((diff(done) if asked.dry_run else _said(path, done)) if done.changed else _nothing(path))
            _config(record, how, world)
    except Refused as fault:
        return refuse("uninstall", path, fault)
    if not asked.dry_run:
        _still(world, here)
    return DONE


def _config(record: Record, how: Rewriting, world: World) -> None:
    """ohud's own config without what installing put into it, once no settings need it any more."""
    config = config_path(world)
    if config is None or any(path != config for path in record.paths()) or record.entry(config) is None:
        return
    back = installation.undo(config, record, replace(how, backup=False))
    if back is None:
        print(f"{config} has been changed since, and stays as it is")
    else:
        print(diff(back) if how.dry else f"{config} is as it was")


def _said(path: str, done: Rewritten) -> str:
    """What has become of the settings."""
    if done.new is None:
        return f"took {path} away, which ohud install had made"
    now = [key for key in installation.KEYS if key in data_of(done.new)]
    back = f"; its {' and '.join(f'`{key}`' for key in now)} is not ohud's" if now else ""
    kept = f"\n  as it was: {done.backup}" if done.backup and os.path.exists(done.backup) else ""
    return f"took ohud out of {path}{back}{kept}"


def _nothing(path: str) -> str:
    return f"there is nothing of ohud's in {path}"


def _still(world: World, here: str) -> None:
    """Names the settings that run ohud all the same."""
    for one in settings.locate(world, here).files:
        keys = [key for key in installation.KEYS if one.data and installation.is_ours(one.data.get(key))]
        if keys:
            scope = f", ohud uninstall --scope {one.kind}" if one.kind in settings.SCOPES else ""
            print(f"note: {one.path} still has {' and '.join(f'`{key}`' for key in keys)} of ohud's{scope}")
