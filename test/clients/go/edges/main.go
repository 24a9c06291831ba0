// Where a world ends: what it has of a customer, what the vendor would not know, and a host that nobody granted.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/stripe/stripe-go/v85"
	. "wrld.test/clients/world"
)

func main() {
	ctx := context.Background()
	stripe.DefaultLeveledLogger = &stripe.LeveledLogger{Level: stripe.LevelNull}
	client := stripe.NewClient("sk_test_edges")
	id, name := os.Args[1], os.Args[2]

	before, err := client.V1Customers.Retrieve(ctx, id, nil)
	Must(err)
	after, err := client.V1Customers.Update(ctx, id, &stripe.CustomerUpdateParams{Name: stripe.String(name)})
	Must(err)
	unknown := Facts{}
	var failed *stripe.Error
	stripe.Key = "sk_test_edges"
	_, err = stripe.RawRequest(http.MethodGet, "/v1/no_such_thing", "", nil)
	if errors.As(err, &failed) {
		unknown = Facts{"status": failed.HTTPStatusCode, "type": failed.Type}
	}

	stray, err := http.Get("https://api.nobody.example/v1/things")
	Must(err)
	defer stray.Body.Close()
	text, err := io.ReadAll(stray.Body)
	Must(err)
	words, rest, _ := strings.Cut(string(text), "\n")
	record := Facts{}
	Must(json.NewDecoder(strings.NewReader(rest)).Decode(&record))

	Tell(Facts{
		"before":  before.Name,
		"after":   after.Name,
		"unknown": unknown,
		"stray": Facts{
			"status":  stray.StatusCode,
			"missing": stray.Header.Get("x-wrld-world-refusal"),
			"words":   words,
			"rule":    record["rule"],
		},
	})
}
