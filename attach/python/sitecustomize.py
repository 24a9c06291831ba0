# Found by every Python process of a run (PYTHONPATH): a library that brings its own roots (stripe does) trusts the
# world's authority besides them, and a client that asks for no proxy (aiohttp, urllib3, http.client) connects by the
# world's. Nothing is imported that the program does not import: the hooks wait until it asks for `ssl` and `socket`.
# Plain old syntax: it runs in the users' processes, whatever their Python.
import os
import sys


class _WaitForModules(object):
    """Calls what belongs to a module once the program has loaded it."""

    def __init__(self, waiting):
        self.waiting = waiting

    def find_spec(self, name, path=None, target=None):
        if name not in self.waiting:
            return None
        from importlib.machinery import PathFinder

        extend = self.waiting.pop(name)
        if not self.waiting:
            sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name)
        if spec is None or not hasattr(spec.loader, "exec_module"):
            return spec
        load = spec.loader.exec_module

        def load_and_extend(module):
            load(module)
            extend(module)

        spec.loader.exec_module = load_and_extend
        return spec


def _trust_more(ssl):
    """Adds the run's certificates to whatever file a program loads its roots from."""
    # What Node adds to its own roots is what is to be added here: the user's own, and the world's authority.
    extra = os.environ.get("NODE_EXTRA_CA_CERTS")
    context = ssl.SSLContext
    load = context.load_verify_locations

    def load_verify_locations(self, cafile=None, capath=None, cadata=None):
        load(self, cafile, capath, cadata)
        if cafile is not None and cafile != extra:
            try:
                load(self, extra)
            except OSError:
                # The run is over and its files are gone: what the program asked for is there.
                pass

    if extra:
        context.load_verify_locations = load_verify_locations


def _connect_by_proxy(socket):
    import wrld_sockets

    wrld_sockets.install(socket)


def _next_sitecustomize():
    """The one that this file stands in front of, of the system or of the program's environment."""
    from importlib.machinery import PathFinder

    here = os.path.dirname(os.path.abspath(__file__))
    spec = PathFinder.find_spec("sitecustomize", [each for each in sys.path if os.path.abspath(each) != here])
    if spec is None:
        return
    from importlib.util import module_from_spec

    module = module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


if sys.version_info >= (3, 4):
    waiting = {"ssl": _trust_more}
    if os.environ.get("WRLD_WORLD_PROXY"):
        waiting["socket"] = _connect_by_proxy
    for name in [each for each in waiting if each in sys.modules]:
        waiting.pop(name)(sys.modules[name])
    if waiting:
        sys.meta_path.insert(0, _WaitForModules(waiting))
    _next_sitecustomize()
