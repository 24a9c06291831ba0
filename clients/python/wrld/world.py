"""A world that `wrld world test` runs beside this process, and what a test does with it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import ProxyHandler, Request, build_opener

Json = Dict[str, Any]

# For a world's own answers; moving its clock may take as long as what falls due takes.
ANSWER_SECONDS_MAX = 300


class WorldError(Exception):
    """What is wrong, in words."""


class Clock:
    """The instant that every twin stamps from."""

    def __init__(self, world: "World") -> None:
        self._world = world

    def now(self) -> datetime:
        return _instant(self._world.ask("GET", "clock")["at"])

    def set(self, at: Union[datetime, str]) -> None:
        """Stops it at an instant, which is none before the newest entry."""
        self._world.ask("PUT", "clock", {"at": _text(at)})

    def advance(self, by: str) -> None:
        """Moves it on (`90s`, `4h`, `31d`) and lets happen what is due until then. Stops it, if it ran."""
        clock = self._world.ask("GET", "clock")
        if not clock["frozen"]:
            self._world.ask("PUT", "clock", {"at": clock["at"]})
        self._world.ask("POST", "clock/advance", {"by": by})


class Twin:
    def __init__(self, world: "World", service: str) -> None:
        self._world = world
        self._service = service

    def log(self) -> List[Json]:
        """Oldest first."""
        entries: List[Json] = []
        after = 0
        while True:
            page = self._world.ask("GET", f"log/{quote(self._service)}?after={after}")["entries"]
            if not page:
                return entries
            entries += page
            after = page[-1]["position"]

    def scenario(self) -> Json:
        """Handlers, how often each matched, what nothing answered."""
        return self._world.fetch_own("GET", f"/{self._world.name}/{quote(self._service)}/twin/scenario")


class Installed:
    """This process's environment, so that clients made from now on are in the world. Undone by `close`."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._before = {name: os.environ.get(name) for name in env}
        os.environ.update(env)

    def close(self) -> None:
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        self._before = {}

    def __enter__(self) -> "Installed":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class World:
    """Made by `open_world`."""

    def __init__(self, process: "subprocess.Popen[str]", told: Json) -> None:
        self._process = process
        self.name: str = told["name"]
        self.url: str = told["url"]
        self.token: str = told["token"]
        self.proxy_url: str = told["proxyUrl"]
        self.ca_file: str = told["caFile"]
        #: What puts a child process into the world: `subprocess.run(…, env={**os.environ, **world.env})`.
        self.env: Dict[str, str] = told["env"]
        self.clock = Clock(self)
        parts = urlsplit(self.url)
        self._base = f"{parts.scheme}://{parts.netloc}"
        # Past whatever proxy this process's own environment names, the world's included.
        self._open = build_opener(ProxyHandler({})).open

    def twin(self, service: str) -> Twin:
        return Twin(self, service)

    def reset(self) -> None:
        """Back to how it was after its seed: its twins, clock, counts, handlers."""
        self.ask("POST", "reset", {"to": {"savepoint": True}})

    def keep(self) -> None:
        """What it is now is what `reset` comes back to from now on."""
        self.ask("PUT", "savepoint")

    def requests(self) -> List[Json]:
        """Calls to the twins since the last reset, oldest first."""
        return self.ask("GET", "calls")["calls"]

    def refusals(self) -> List[Json]:
        """Refusals since the last reset, oldest first, each a whole record with `at` and `run`."""
        seen = self.ask("GET", "refusals")["refusals"]
        return [{**each["record"], "at": each["at"], "run": each["run"]} for each in reversed(seen)]

    def timeline(self) -> List[Json]:
        """The newest entries of all logs, oldest first."""
        return list(reversed(self.ask("GET", "timeline?limit=100")["entries"]))

    def on(self, service: str, handlers: Union[Json, Sequence[Json]]) -> None:
        """Puts a handlers document, or a list of handlers, in force until the next reset."""
        document = dict(handlers) if isinstance(handlers, Mapping) else {"handlers": list(handlers)}
        self.ask("PUT", f"twins/{quote(service)}/scenario", {"version": 1, **document})

    def install(self) -> Installed:
        """Sets this process's environment, so that HTTP clients made from now on are in the world."""
        return Installed(self.env)

    def story(self) -> str:
        """What a failing test shows: what was refused, what was asked, what it changed. Empty where nothing happened."""
        rows = {
            "refused by the world": [
                f"{each['reason']} ({each['rule']}; fix: {each['see']})" for each in self.refusals()
            ],
            "calls": [
                f"{call['twin']} {call['method']} {call['path']} → {call['status'] or 'cut'}"
                for call in self.requests()
            ],
            "what they changed": [
                f"{row['twin']} {row['position']}: "
                + ", ".join(f"{each['op']} {each['type']} {each['id']}" for each in row["entry"]["changes"])
                for row in self.timeline()
            ],
        }
        parts = [
            "\n".join([f"{title}:", *(f"  {line}" for line in lines[-20:])]) for title, lines in rows.items() if lines
        ]
        return "\n".join(parts)

    def ask(self, method: str, path: str, body: Optional[Json] = None) -> Any:
        """An endpoint of the world's (`clock`); raises `WorldError` with what it says."""
        return self.fetch_own(method, f"/-/{self.name}/{path}", body)

    def fetch_own(self, method: str, path: str, body: Optional[Json] = None) -> Any:
        headers = {"x-wrld-token": self.token, "content-type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self._base}{path}", data=data, headers=headers, method=method)
        try:
            with self._open(request, timeout=ANSWER_SECONDS_MAX) as answer:
                text = answer.read()
        except HTTPError as error:
            raise WorldError(f"{method} {path}: {_message(error)}") from None
        return json.loads(text) if text else None

    def close(self) -> None:
        """Ends the world and the process that runs it."""
        process = self._process
        if process.stdin is not None and not process.stdin.closed:
            process.stdin.close()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()

    def __enter__(self) -> "World":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_world(
    twins: Union[Sequence[str], Mapping[str, str]],
    *,
    handlers: Optional[Mapping[str, Json]] = None,
    grants: Optional[Mapping[str, Sequence[str]]] = None,
    clock: Union[datetime, str, None] = None,
    seed: Optional[Callable[[World], object]] = None,
    command: Optional[Sequence[str]] = None,
) -> World:
    """A whole world around a test.

    `twins`: names of twins that ship, or service → such a name or the path of a module. `handlers`: service → the
    document of its handlers file. `grants`: what it reaches besides (`egress`, `writes`); nothing unless given.
    `clock`: the instant that it stands at. `seed`: fills it once, with this process's environment in the world; `reset`
    comes back to what it leaves. `command`: how wrld is started, `["npx", "wrld"]` and the like.
    """
    words = [*(command or _command()), "world", "test"]
    options = {
        "twins": twins if isinstance(twins, Mapping) else list(twins),
        "handlers": {name: {"version": 1, **document} for name, document in (handlers or {}).items()},
        "grants": None if grants is None else {name: list(rows) for name, rows in grants.items()},
        **({} if clock is None else {"clock": _text(clock)}),
    }
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            # Ctrl-C is for the tests: the world ends with them, by its input.
            start_new_session=True,
        )
    except OSError as error:
        raise WorldError(f"{words[0]}: {error.strerror}. Install wrld (npm install wrld), or set WRLD_COMMAND.") from None
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdin.write(json.dumps(options) + "\n")
        process.stdin.flush()
    except BrokenPipeError:
        pass
    line = process.stdout.readline()
    told = json.loads(line) if line.startswith("{") else {"error": f"{' '.join(words)} ended before the world was up"}
    if "error" in told:
        process.stdin.close()
        process.wait()
        process.stdout.close()
        raise WorldError(told["error"])
    world = World(process, told)
    try:
        if seed is not None:
            with world.install():
                seed(world)
            world.keep()
    except BaseException:
        world.close()
        raise
    return world


def _command() -> List[str]:
    """How wrld is started: WRLD_COMMAND, the one that npm installed here or above, the one on the path, npx."""
    given = os.environ.get("WRLD_COMMAND")
    if given:
        return given.split()
    here = Path.cwd()
    for folder in [here, *here.parents]:
        installed = folder / "node_modules" / ".bin" / "wrld"
        if installed.exists():
            return [str(installed)]
    found = shutil.which("wrld")
    return [found] if found else ["npx", "--yes", "wrld"]


def _message(error: HTTPError) -> str:
    text = error.read().decode("utf-8", "replace")
    try:
        return json.loads(text)["error"]["message"]
    except (ValueError, KeyError, TypeError):
        return f"{error.code} {text}".strip()


def _text(at: Union[datetime, str]) -> str:
    if isinstance(at, str):
        return at
    aware = at if at.tzinfo is not None else at.replace(tzinfo=timezone.utc)
    return aware.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
