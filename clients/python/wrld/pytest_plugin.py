"""Fixtures for pytest: a world a module, brought back before each test, and told of where one fails."""

from __future__ import annotations

from typing import Any, Dict, Iterator

import pytest

from .world import World, open_world


@pytest.fixture(scope="module")
def world_options() -> Dict[str, Any]:
    """What the module's world is made of: the arguments of `wrld.open_world`. Define your own fixture of this name."""
    raise pytest.UsageError(
        "the fixture `world` needs to know its twins: define a fixture world_options(), of scope module, "
        'that returns {"twins": ["stripe"]}'
    )


@pytest.fixture(scope="module")
def wrld_module_world(world_options: Dict[str, Any]) -> Iterator[World]:
    with open_world(**world_options) as world:
        yield world


@pytest.fixture
def world(wrld_module_world: World, request: pytest.FixtureRequest) -> Iterator[World]:
    """The world of this module, as it was after its seed; this process's HTTP clients are in it."""
    wrld_module_world.reset()
    request.node._wrld_world = wrld_module_world
    with wrld_module_world.install():
        yield wrld_module_world


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    outcome = yield
    report = outcome.get_result()
    world = getattr(item, "_wrld_world", None)
    if report.when != "call" or not report.failed or world is None:
        return
    try:
        told = world.story()
    except Exception as error:  # The test's own failure is what is to be seen.
        told = f"the world does not answer: {error}"
    if told:
        report.sections.append(("the world", told))
