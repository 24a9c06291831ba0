"""What a story needs of the world it runs in, and how it tells what it saw: one line of JSON."""

import json
import os
import urllib.request


def move_clock(by: str) -> None:
    """Sets the world's clock to its own now where nobody has, then moves it on."""
    now = _ask("GET", "clock")
    if not now["frozen"]:
        _ask("PUT", "clock", {"at": now["at"]})
    _ask("POST", "clock/advance", {"by": by})


def tell(**facts: object) -> None:
    print(json.dumps(facts))


def _ask(method: str, path: str, body: object = None) -> dict:
    origin, org, world = os.environ["WRLD_WORLD"].rsplit("/", 2)
    request = urllib.request.Request(
        f"{origin}/-/{org}/{world}/{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"x-wrld-token": os.environ["WRLD_WORLD_TOKEN"], "content-type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)
