// Messages with a tool, a count of tokens and a batch, by the vendor's own library.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	. "wrld.test/clients/world"
)

const model = "claude-opus-4-5"

func ask(content string) []anthropic.MessageParam {
	return []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(content))}
}

func say(content string) anthropic.MessageNewParams {
	return anthropic.MessageNewParams{Model: model, MaxTokens: 99, Messages: ask(content)}
}

func main() {
	ctx := context.Background()
	client := anthropic.NewClient(option.WithAPIKey("sk-ant-story"))

	message, err := client.Messages.New(ctx, say("hello you"))
	Must(err)

	asked := say("What is the weather?")
	asked.Tools = []anthropic.ToolUnionParam{anthropic.ToolUnionParamOfTool(anthropic.ToolInputSchemaParam{
		Properties: map[string]any{"city": map[string]string{"type": "string"}},
		Required:   []string{"city"},
	}, "get_weather")}
	pieces, whole := 0, anthropic.Message{}
	stream := client.Messages.NewStreaming(ctx, asked)
	for stream.Next() {
		event := stream.Current()
		Must(whole.Accumulate(event))
		if event.Delta.Type == "input_json_delta" {
			pieces++
		}
	}
	Must(stream.Err())
	use := whole.Content[len(whole.Content)-1].AsToolUse()
	asked.Messages = append(asked.Messages, whole.ToParam(),
		anthropic.NewUserMessage(anthropic.NewToolResultBlock(use.ID, "rain", false)))
	told, err := client.Messages.New(ctx, asked)
	Must(err)

	count, err := client.Messages.CountTokens(ctx, anthropic.MessageCountTokensParams{
		Model: model, Messages: ask("hello you"),
	})
	Must(err)

	makeBatch := func(words ...string) *anthropic.MessageBatch {
		requests := []anthropic.MessageBatchNewParamsRequest{}
		for _, each := range words {
			requests = append(requests, anthropic.MessageBatchNewParamsRequest{
				CustomID: each,
				Params:   anthropic.MessageBatchNewParamsRequestParams{Model: model, MaxTokens: 99, Messages: ask(each)},
			})
		}
		batch, err := client.Messages.Batches.New(ctx, anthropic.MessageBatchNewParams{Requests: requests})
		Must(err)
		return batch
	}
	batch := makeBatch("one", "two")
	MoveClock("5m")
	ended, err := client.Messages.Batches.Get(ctx, batch.ID, anthropic.MessageBatchGetParams{})
	Must(err)
	results := Facts{}
	lines := client.Messages.Batches.ResultsStreaming(ctx, batch.ID, anthropic.MessageBatchResultsParams{})
	for lines.Next() {
		line := lines.Current()
		results[line.CustomID] = line.Result.AsSucceeded().Message.Content[0].Text
	}
	Must(lines.Err())

	other := makeBatch("three")
	listed := []string{}
	pages := client.Messages.Batches.ListAutoPaging(ctx, anthropic.MessageBatchListParams{Limit: anthropic.Int(1)})
	for pages.Next() {
		listed = append(listed, pages.Current().ID)
	}
	Must(pages.Err())

	busy, err := client.Messages.New(ctx, say("busy"))
	Must(err)
	heard, broke := "", ""
	story := client.Messages.NewStreaming(ctx, say("a long story"))
	for story.Next() {
		heard += story.Current().Delta.Text
	}
	if story.Err() != nil && strings.Contains(story.Err().Error(), "It broke.") {
		broke = "It broke."
	}
	missing := 0
	var failed *anthropic.Error
	_, err = client.Messages.Batches.Get(ctx, "msgbatch_nobody", anthropic.MessageBatchGetParams{})
	if errors.As(err, &failed) {
		missing = failed.StatusCode
	}

	Tell(Facts{
		"text":    message.Content[0].Text,
		"tool":    Facts{"name": use.Name, "input": json.RawMessage(use.Input), "pieces": pieces > 2, "stop": whole.StopReason},
		"told":    told.Content[0].Text,
		"tokens":  count.InputTokens > 0,
		"batch":   batch.ID,
		"status":  []any{batch.ProcessingStatus, ended.ProcessingStatus},
		"results": results,
		"listed":  slices.Equal(listed, []string{other.ID, batch.ID}),
		"busy":    busy.Content[0].Text,
		"heard":   heard,
		"broke":   broke,
		"missing": missing,
	})
}
