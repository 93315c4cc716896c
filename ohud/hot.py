"""The file that the installed command line names: `<python> -I -S <this file> [subagents]`."""

import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER
from marshal import loads

# `nt` where there is no `posix`; a main script is never cached as bytecode, so all here is short.
system = __import__("posix" if "posix" in sys.builtin_module_names else "nt")
ROOT = __file__.replace("\\", "/").rpartition("/ohud/")[0]
SUFFIX = ".%s.pyc" % sys.implementation.cache_tag


class Quick:
    """
    Finds the package's own modules by the bytecode that the interpreter has written beside them, under its own test
    (magic number, time and size of the source). Whatever is not as it should be is left to the ordinary finders.
    They cost 0.2 ms a module, this one half of it, and a refresh loads 22 (CPython 3.11, 2026-11-30).
    """

    @staticmethod
    def find_spec(name, path=None, target=None):  # type: ignore[no-untyped-def]
        if name[:4] != "ohud":
            return None
        package = name in ("ohud", "ohud.run", "ohud.fields")
        source = ROOT + "/" + name.replace(".", "/") + ("/__init__.py" if package else ".py")
        folder, _, file = source.rpartition("/")
        try:
            facts = system.stat(source)
            handle = system.open(folder + "/__pycache__/" + file[:-3] + SUFFIX, getattr(system, "O_BINARY", 0))
            raw = system.read(handle, system.fstat(handle).st_size)
            system.close(handle)
        except OSError:
            return None
        test = (0, int(facts.st_mtime) & 0xFFFFFFFF, facts.st_size & 0xFFFFFFFF)
        if raw[:16] != MAGIC_NUMBER + b"".join([n.to_bytes(4, "little") for n in test]):
            return None
        spec = ModuleSpec(name, Quick, origin=source, loader_state=loads(memoryview(raw)[16:]), is_package=package)
        if package:
            spec.submodule_search_locations = [folder]
        return spec

    @staticmethod
    def create_module(spec):  # type: ignore[no-untyped-def]
        return None

    @staticmethod
    def exec_module(module):  # type: ignore[no-untyped-def]
        module.__file__ = module.__spec__.origin
        exec(module.__spec__.loader_state, module.__dict__)


sys.meta_path.insert(0, Quick)
sys.path.insert(0, ROOT)

from ohud.run.status import run  # noqa: E402

run(sys.argv)
