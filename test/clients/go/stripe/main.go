// A shop's month, by the vendor's own library as its documentation shows it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/stripe/stripe-go/v85"
	"github.com/stripe/stripe-go/v85/webhook"
	. "wrld.test/clients/world"
)

type posted struct {
	body      []byte
	signature string
}

func main() {
	ctx := context.Background()
	stripe.DefaultLeveledLogger = &stripe.LeveledLogger{Level: stripe.LevelNull}
	client := stripe.NewClient("sk_test_story")
	post := make(chan posted, 10)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		post <- posted{body, request.Header.Get("stripe-signature")}
	}))
	defer server.Close()

	customer, err := client.V1Customers.Create(ctx, &stripe.CustomerCreateParams{
		Email: stripe.String("ada@example.com"),
		Name:  stripe.String("Ada"),
	})
	Must(err)
	card, err := client.V1PaymentMethods.Attach(ctx, "pm_card_visa", &stripe.PaymentMethodAttachParams{
		Customer: stripe.String(customer.ID),
	})
	Must(err)
	_, err = client.V1Customers.Update(ctx, customer.ID, &stripe.CustomerUpdateParams{
		Phone: stripe.String("+4712345678"),
	})
	Must(err)
	read, err := client.V1Customers.Retrieve(ctx, customer.ID, nil)
	Must(err)
	_, err = client.V1Customers.Update(ctx, customer.ID, &stripe.CustomerUpdateParams{
		InvoiceSettings: &stripe.CustomerUpdateInvoiceSettingsParams{DefaultPaymentMethod: stripe.String(card.ID)},
	})
	Must(err)
	product, err := client.V1Products.Create(ctx, &stripe.ProductCreateParams{Name: stripe.String("Plan")})
	Must(err)
	price, err := client.V1Prices.Create(ctx, &stripe.PriceCreateParams{
		Product:    stripe.String(product.ID),
		Currency:   stripe.String("usd"),
		UnitAmount: stripe.Int64(1500),
		Recurring:  &stripe.PriceCreateRecurringParams{Interval: stripe.String("month")},
	})
	Must(err)
	subscription, err := client.V1Subscriptions.Create(ctx, &stripe.SubscriptionCreateParams{
		Customer: stripe.String(customer.ID),
		Items:    []*stripe.SubscriptionCreateItemParams{{Price: stripe.String(price.ID)}},
	})
	Must(err)
	endpoint, err := client.V1WebhookEndpoints.Create(ctx, &stripe.WebhookEndpointCreateParams{
		URL:           stripe.String(server.URL + "/hook"),
		EnabledEvents: []*string{stripe.String("invoice.paid")},
		APIVersion:    stripe.String(stripe.APIVersion),
	})
	Must(err)

	MoveClock("32d")
	var came posted
	select {
	case came = <-post:
	case <-time.After(20 * time.Second):
		Must(errors.New("no webhook came"))
	}
	event, err := webhook.ConstructEvent(came.body, came.signature, endpoint.Secret)
	Must(err)
	forged := "believed"
	if _, err = webhook.ConstructEvent(came.body, came.signature, "whsec_of_somebody_else"); err != nil {
		forged = "refused"
	}
	var renewal *stripe.Invoice
	for each, err := range client.V1Invoices.List(ctx, &stripe.InvoiceListParams{
		Subscription: stripe.String(subscription.ID),
	}).All(ctx) {
		Must(err)
		renewal = each
		break
	}

	create := func(name string) (*stripe.Product, error) {
		params := &stripe.ProductCreateParams{Name: stripe.String(name)}
		params.SetIdempotencyKey("story-once")
		return client.V1Products.Create(ctx, params)
	}
	first, err := create("Once")
	Must(err)
	again, err := create("Once")
	Must(err)
	conflict := "none"
	var failed *stripe.Error
	if _, err = create("Other"); errors.As(err, &failed) {
		conflict = string(failed.Type)
	}

	for number := range 25 {
		_, err = client.V1Customers.Create(ctx, &stripe.CustomerCreateParams{
			Email: stripe.String(fmt.Sprintf("%d@pages.example.com", number)),
		})
		Must(err)
	}
	paged := map[string]bool{}
	list := &stripe.CustomerListParams{}
	list.Limit = stripe.Int64(10)
	for each, err := range client.V1Customers.List(ctx, list).All(ctx) {
		Must(err)
		paged[each.Email] = true
	}

	declined := Facts{}
	_, err = client.V1PaymentIntents.Create(ctx, &stripe.PaymentIntentCreateParams{
		Amount:             stripe.Int64(2000),
		Currency:           stripe.String("usd"),
		PaymentMethod:      stripe.String("pm_card_visa_chargeDeclined"),
		PaymentMethodTypes: []*string{stripe.String("card")},
		Confirm:            stripe.Bool(true),
	})
	if errors.As(err, &failed) && failed.Type == stripe.ErrorTypeCard {
		declined = Facts{"status": failed.HTTPStatusCode, "code": failed.Code, "declineCode": failed.DeclineCode}
	}
	missing := Facts{}
	_, err = client.V1Customers.Retrieve(ctx, "cus_nobody", nil)
	if errors.As(err, &failed) && failed.Type == stripe.ErrorTypeInvalidRequest {
		missing = Facts{"status": failed.HTTPStatusCode, "code": failed.Code, "param": failed.Param}
	}

	expand := &stripe.SubscriptionRetrieveParams{}
	for _, field := range []string{"customer", "latest_invoice", "items.data.price.product"} {
		expand.AddExpand(field)
	}
	expanded, err := client.V1Subscriptions.Retrieve(ctx, subscription.ID, expand)
	Must(err)

	Tell(Facts{
		"customer":     customer.ID,
		"phone":        read.Phone,
		"subscription": subscription.ID,
		"renewal": Facts{
			"id": renewal.ID, "status": renewal.Status, "reason": renewal.BillingReason, "paid": renewal.AmountPaid,
		},
		"webhook": Facts{
			"id": event.ID, "type": event.Type, "invoice": event.Data.Object["id"], "forged": forged,
		},
		"product":  first.ID,
		"replayed": first.ID == again.ID,
		"conflict": conflict,
		"paged":    len(paged),
		"declined": declined,
		"missing":  missing,
		"expanded": Facts{
			"email":   expanded.Customer.Email,
			"invoice": expanded.LatestInvoice.ID,
			"product": expanded.Items.Data[0].Price.Product.Name,
		},
	})
}
