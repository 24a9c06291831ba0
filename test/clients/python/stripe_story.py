"""A shop's month, by the vendor's own library as its documentation shows it."""

import queue
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import stripe
from world import move_clock, tell

client = stripe.StripeClient("sk_test_story").v1
posted: queue.Queue = queue.Queue()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        posted.put((body, self.headers["stripe-signature"]))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


server = HTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()

customer = client.customers.create({"email": "ada@example.com", "name": "Ada"})
card = client.payment_methods.attach("pm_card_visa", {"customer": customer.id})
client.customers.update(customer.id, {"phone": "+4712345678"})
phone = client.customers.retrieve(customer.id).phone
client.customers.update(customer.id, {"invoice_settings": {"default_payment_method": card.id}})
product = client.products.create({"name": "Plan"})
price = client.prices.create(
    {"product": product.id, "currency": "usd", "unit_amount": 1500, "recurring": {"interval": "month"}}
)
subscription = client.subscriptions.create({"customer": customer.id, "items": [{"price": price.id}]})
endpoint = client.webhook_endpoints.create(
    {
        "url": f"http://127.0.0.1:{server.server_port}/hook",
        "enabled_events": ["invoice.paid"],
        "api_version": stripe.api_version,
    }
)

move_clock("32d")
body, signature = posted.get(timeout=20)
event = stripe.Webhook.construct_event(body, signature, endpoint.secret)
try:
    stripe.Webhook.construct_event(body, signature, "whsec_of_somebody_else")
    forged = "believed"
except stripe.SignatureVerificationError:
    forged = "refused"
renewal = client.invoices.list({"subscription": subscription.id, "limit": 1}).data[0]

once = {"name": "Once"}
first = client.products.create(once, {"idempotency_key": "story-once"})
again = client.products.create(once, {"idempotency_key": "story-once"})
try:
    client.products.create({"name": "Other"}, {"idempotency_key": "story-once"})
    conflict = "none"
except stripe.IdempotencyError as error:
    conflict = error.error.type

for number in range(25):
    client.customers.create({"email": f"{number}@pages.example.com"})
paged = [each.email for each in client.customers.list({"limit": 10}).auto_paging_iter()]

try:
    client.payment_intents.create(
        {
            "amount": 2000,
            "currency": "usd",
            "payment_method": "pm_card_visa_chargeDeclined",
            "allowed_payment_method_types": ["card"],
            "confirm": True,
        }
    )
    declined = {}
except stripe.CardError as error:
    declined = {"status": error.http_status, "code": error.code, "declineCode": error.error.decline_code}
try:
    client.customers.retrieve("cus_nobody")
    missing = {}
except stripe.InvalidRequestError as error:
    missing = {"status": error.http_status, "code": error.code, "param": error.param}

expanded = client.subscriptions.retrieve(
    subscription.id, {"expand": ["customer", "latest_invoice", "items.data.price.product"]}
)
tell(
    customer=customer.id,
    phone=phone,
    subscription=subscription.id,
    renewal={"id": renewal.id, "status": renewal.status, "reason": renewal.billing_reason, "paid": renewal.amount_paid},
    webhook={"id": event.id, "type": event.type, "invoice": event.data.object.id, "forged": forged},
    product=first.id,
    replayed=first.id == again.id,
    conflict=conflict,
    paged=len(set(paged)),
    declined=declined,
    missing=missing,
    expanded={
        "email": expanded.customer.email,
        "invoice": expanded.latest_invoice.id,
        "product": expanded["items"].data[0].price.product.name,
    },
)
