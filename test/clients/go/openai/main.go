// A chat with a tool, answers that are kept, vectors and a file, by the vendor's own library.
package main

import (
	"context"
	"errors"
	"io"
	"reflect"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
	. "wrld.test/clients/world"
)

const model = "gpt-5"

func say(content string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model:    model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(content)},
	}
}

func main() {
	ctx := context.Background()
	client := openai.NewClient(option.WithAPIKey("sk-story"))

	chat, err := client.Chat.Completions.New(ctx, say("hello you"))
	Must(err)

	asked := say("What is the weather?")
	asked.Tools = []openai.ChatCompletionToolUnionParam{
		openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
			Name: "get_weather",
			Parameters: openai.FunctionParameters{
				"type":       "object",
				"properties": map[string]any{"city": map[string]string{"type": "string"}},
				"required":   []string{"city"},
			},
		}),
	}
	asked.StreamOptions.IncludeUsage = openai.Bool(true)
	pieces, whole := 0, openai.ChatCompletionAccumulator{}
	stream := client.Chat.Completions.NewStreaming(ctx, asked)
	for stream.Next() {
		chunk := stream.Current()
		whole.AddChunk(chunk)
		for _, choice := range chunk.Choices {
			pieces += len(choice.Delta.ToolCalls)
		}
	}
	Must(stream.Err())
	answer := whole.Choices[0].Message
	call := answer.ToolCalls[0]
	asked.Messages = append(asked.Messages, answer.ToParam(), openai.ToolMessage("rain", call.ID))
	asked.StreamOptions = openai.ChatCompletionStreamOptionsParam{}
	told, err := client.Chat.Completions.New(ctx, asked)
	Must(err)

	kept := []string{}
	for _, each := range []string{"one", "two", "three"} {
		keep := say(each)
		keep.Store = openai.Bool(true)
		stored, err := client.Chat.Completions.New(ctx, keep)
		Must(err)
		kept = append(kept, stored.ID)
	}
	_, err = client.Chat.Completions.Update(ctx, kept[0], openai.ChatCompletionUpdateParams{
		Metadata: openai.Metadata{"read": "yes"},
	})
	Must(err)
	_, err = client.Chat.Completions.Delete(ctx, kept[1])
	Must(err)
	read := Facts{}
	Must(client.Get(ctx, "chat/completions/"+kept[0], nil, &read))
	listed := []string{}
	pages := client.Chat.Completions.ListAutoPaging(ctx, openai.ChatCompletionListParams{Limit: openai.Int(1)})
	for pages.Next() {
		listed = append(listed, pages.Current().ID)
	}
	Must(pages.Err())

	input := func(text string) responses.ResponseNewParams {
		return responses.ResponseNewParams{
			Model: model,
			Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(text)},
		}
	}
	response, err := client.Responses.New(ctx, input("keep this"))
	Must(err)
	next := input("and this")
	next.PreviousResponseID = openai.String(response.ID)
	follow, err := client.Responses.New(ctx, next)
	Must(err)
	text := ""
	events := client.Responses.NewStreaming(ctx, input("in pieces please"))
	for events.Next() {
		if event := events.Current(); event.Type == "response.output_text.delta" {
			text += event.Delta
		}
	}
	Must(events.Err())

	vectors, err := client.Embeddings.New(ctx, openai.EmbeddingNewParams{
		Model: "text-embedding-3-small",
		Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"a red apple", "a red apple", "rain"}},
	})
	Must(err)
	vector := func(index int) []float64 { return vectors.Data[index].Embedding }

	file, err := client.Files.New(ctx, openai.FileNewParams{
		File:    openai.File(strings.NewReader("one\ntwo\n"), "notes.txt", "text/plain"),
		Purpose: "user_data",
	})
	Must(err)
	download, err := client.Files.Content(ctx, file.ID)
	Must(err)
	content, err := io.ReadAll(download.Body)
	Must(err)

	busy, err := client.Chat.Completions.New(ctx, say("busy"))
	Must(err)
	heard, broke := "", ""
	story := client.Chat.Completions.NewStreaming(ctx, say("a long story"))
	for story.Next() {
		heard += story.Current().Choices[0].Delta.Content
	}
	if story.Err() != nil && strings.Contains(story.Err().Error(), "It broke.") {
		broke = "It broke."
	}
	missing := 0
	var failed *openai.Error
	if _, err = client.Files.Get(ctx, "file-nobody"); errors.As(err, &failed) {
		missing = failed.StatusCode
	}

	Tell(Facts{
		"chat": chat.Choices[0].Message.Content,
		"tool": Facts{
			"name":      call.Function.Name,
			"arguments": call.Function.Arguments,
			"pieces":    pieces > 2,
			"usage":     whole.Usage.TotalTokens > 0,
		},
		"told":     told.Choices[0].Message.Content,
		"kept":     Facts{"ids": kept, "listed": listed, "metadata": read["metadata"]},
		"response": response.ID,
		"text":     response.OutputText(),
		"follow":   follow.ID,
		"streamed": text,
		"embedding": Facts{
			"length": len(vector(0)),
			"same":   reflect.DeepEqual(vector(0), vector(1)),
			"other":  reflect.DeepEqual(vector(0), vector(2)),
		},
		"file":    file.ID,
		"content": string(content),
		"busy":    busy.Choices[0].Message.Content,
		"heard":   heard,
		"broke":   broke,
		"missing": missing,
	})
}
