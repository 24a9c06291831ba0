"""Worlds for tests (docs/testing.md)."""

from .world import Clock, Installed, Twin, World, WorldError, open_world

__all__ = ["Clock", "Installed", "Twin", "World", "WorldError", "open_world"]
