"""A module of somebody's suite: urllib, and nothing that knows of worlds but the fixture."""

import json
import os
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

import pytest
import wrld

STRIPE = "https://api.stripe.com/v1/customers"
KEY = {"authorization": "Bearer sk_test_x"}


def charge(email):
    data = urllib.parse.urlencode({"email": email}).encode()
    with urllib.request.urlopen(urllib.request.Request(STRIPE, data=data, headers=KEY)) as answer:
        return json.load(answer)["id"]


def customers():
    with urllib.request.urlopen(urllib.request.Request(STRIPE, headers=KEY)) as answer:
        return [each["email"] for each in json.load(answer)["data"]]


@pytest.fixture(scope="module")
def world_options():
    return {
        "twins": ["stripe", "openai"],
        "clock": "2026-03-02T08:00:00Z",
        "seed": lambda world: charge("seed@example.com"),
    }


def test_writes(world):
    charge("first@example.com")
    assert customers() == ["first@example.com", "seed@example.com"]
    assert [each["path"] for each in world.requests()] == ["/v1/customers", "/v1/customers"]
    world.clock.advance("3d")
    assert world.clock.now().isoformat() == "2026-03-05T08:00:00+00:00"
    assert len(world.twin("stripe").log()) == 2


def test_is_back(world):
    assert customers() == ["seed@example.com"]
    assert world.clock.now().day == 2


def test_handlers(world):
    world.on("openai", [{"id": "hi", "match": {"lastUser": "hi"}, "reply": {"text": "hello"}}])
    body = json.dumps({"model": "gpt-5", "input": "hi"}).encode()
    headers = {**KEY, "content-type": "application/json"}
    request = urllib.request.Request("https://api.openai.com/v1/responses", data=body, headers=headers)
    with urllib.request.urlopen(request) as answer:
        assert json.load(answer)["output"][0]["content"][0]["text"] == "hello"
    assert world.twin("openai").scenario()["handlers"][0]["matched"] == 1
    with pytest.raises(wrld.WorldError, match="/handlers/0"):
        world.on("openai", [{"id": "hi", "mtch": {}}])


def test_handlers_are_gone(world):
    assert world.twin("openai").scenario()["handlers"] == []


def test_refusal(world):
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen("https://api.elsewhere.example/")
    assert refused.value.headers["x-wrld-world-refusal"] == "grant"
    assert [each["rule"] for each in world.refusals()] == ["sealed"]


def test_child(world):
    code = f"import urllib.request; print(urllib.request.urlopen(urllib.request.Request('{STRIPE}', headers={KEY})).status)"
    told = subprocess.run([sys.executable, "-c", code], env={**os.environ, **world.env}, capture_output=True, text=True)
    assert told.stdout == "200\n", told.stderr


def test_environment_is_left_alone():
    assert "WRLD_WORLD" not in os.environ


def test_words():
    with pytest.raises(wrld.WorldError, match="strip"):
        wrld.open_world(["strip"])


@pytest.mark.skipif("WRLD_FAIL" not in os.environ, reason="fails where it is told to")
def test_fails(world):
    charge("last@example.com")
    urllib.request.urlopen("https://api.elsewhere.example/")
