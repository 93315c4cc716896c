"""
The fast way to the package's own modules, put before the ordinary finders by hot.py.

A refresh loads two dozen modules, at 0.2 ms each the ordinary way (CPython 3.11, 2026-11-30); half of that goes here.
"""

import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER
from marshal import loads

if sys.platform == "win32":
    import nt as system
else:
    import posix as system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

ROOT = __file__.replace("\\", "/").rpartition("/ohud/")[0]
_PACKAGES = ("ohud", "ohud.run", "ohud.fields")
_SUFFIX = f".{sys.implementation.cache_tag}.pyc"
_READ = system.O_RDONLY | getattr(system, "O_BINARY", 0) | getattr(system, "O_CLOEXEC", 0)
# Below the size from which the allocator maps memory anew for each buffer.
_LARGEST = 65536


class Quick:
    """
    Finds a module by the bytecode that the interpreter has written beside it, under the interpreter's own test:
    magic number, time and size of the source. Whatever is not as it should be is left to the ordinary finders.
    """

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> "ModuleSpec | None":
        """The spec of one of our modules with its code already read, else None."""
        if name[:4] != "ohud":
            return None
        package = name in _PACKAGES
        folder = ROOT + "/" + name.replace(".", "/")
        if package:
            file = "__init__"
        else:
            folder, _, file = folder.rpartition("/")
        source = folder + "/" + file + ".py"
        try:
            facts = system.stat(source)
            handle = system.open(folder + "/__pycache__/" + file + _SUFFIX, _READ)
            try:
                raw = system.read(handle, _LARGEST)
            finally:
                system.close(handle)
        except OSError:
            return None
        if (
            raw[:8] != MAGIC_NUMBER + b"\0\0\0\0"
            or int.from_bytes(raw[8:12], "little") != int(facts.st_mtime) & 0xFFFFFFFF
            or int.from_bytes(raw[12:16], "little") != facts.st_size & 0xFFFFFFFF
            or len(raw) == _LARGEST
        ):
            return None
        spec = ModuleSpec(name, Quick, origin=source, is_package=package)  # type: ignore[arg-type]
        spec.loader_state = loads(memoryview(raw)[16:])
        if package:
            spec.submodule_search_locations = [folder]
        return spec

    @staticmethod
    def create_module(spec: "ModuleSpec") -> None:
        """Leaves it to the import system to make the module."""

    @staticmethod
    def exec_module(module: "ModuleType") -> None:
        """Runs the module's code."""
        spec = module.__spec__
        assert spec is not None
        module.__file__ = spec.origin
        exec(spec.loader_state, module.__dict__)


sys.meta_path.insert(0, Quick)
