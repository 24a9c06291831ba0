module wrld.test/clients

go 1.26.0

require (
	github.com/anthropics/anthropic-sdk-go v1.84.0
	github.com/openai/openai-go/v3 v3.96.0
	github.com/stripe/stripe-go/v85 v85.0.0
)
