# Found by every Python process of a run (PYTHONPATH): a library that brings its own roots (stripe does) trusts the
# world's authority besides them. Nothing else is changed, and nothing is imported that the program does not import:
# the hook waits until it asks for `ssl`. Plain old syntax: it runs in the users' processes, whatever their Python.
import os
import sys


class _WaitForSsl(object):
    """Adds the run's certificates to whatever file a program loads its roots from."""

    def find_spec(self, name, path=None, target=None):
        if name != "ssl":
            return None
        from importlib.machinery import PathFinder

        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name)
        if spec is None or not hasattr(spec.loader, "exec_module"):
            return spec
        load = spec.loader.exec_module

        def load_and_extend(module):
            load(module)
            _extend(module.SSLContext)

        spec.loader.exec_module = load_and_extend
        return spec


def _extend(context):
    # What Node adds to its own roots is what is to be added here: the user's own, and the world's authority.
    extra = os.environ.get("NODE_EXTRA_CA_CERTS")
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
    if "ssl" not in sys.modules:
        sys.meta_path.insert(0, _WaitForSsl())
    _next_sitecustomize()
