"""Where a world ends: what it has of a customer, what the vendor would not know, and a host that nobody granted."""

import json
import sys

import requests
import stripe
from world import tell

_, customer, name = sys.argv
client = stripe.StripeClient("sk_test_edges", max_network_retries=0)

before = client.v1.customers.retrieve(customer).name
after = client.v1.customers.update(customer, {"name": name}).name
try:
    client.raw_request("get", "/v1/no_such_thing")
    unknown = {}
except stripe.InvalidRequestError as error:
    unknown = {"status": error.http_status, "type": error.error.type}
stray = requests.get("https://api.nobody.example/v1/things", timeout=20)
words, record = stray.text.split("\n")[:2]

tell(
    before=before,
    after=after,
    unknown=unknown,
    stray={
        "status": stray.status_code,
        "missing": stray.headers.get("x-wrld-world-refusal"),
        "words": words,
        "rule": json.loads(record)["rule"],
    },
)
