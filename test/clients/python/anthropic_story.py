"""Messages with a tool, a count of tokens and a batch, by the vendor's own library."""

import anthropic
from world import move_clock, tell

client = anthropic.Anthropic(api_key="sk-ant-story")
MODEL = "claude-opus-4-5"
TOOL = {
    "name": "get_weather",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


def make_batch(*words: str) -> anthropic.types.messages.MessageBatch:
    return client.messages.batches.create(
        requests=[
            {
                "custom_id": each,
                "params": {"model": MODEL, "max_tokens": 99, "messages": [{"role": "user", "content": each}]},
            }
            for each in words
        ]
    )


message = client.messages.create(
    model=MODEL, max_tokens=99, messages=[{"role": "user", "content": "hello you"}]
)

messages: list = [{"role": "user", "content": "What is the weather?"}]
with client.messages.stream(model=MODEL, max_tokens=99, messages=messages, tools=[TOOL]) as stream:
    pieces = [event.partial_json for event in stream if event.type == "input_json"]
    asked = stream.get_final_message()
use = next(block for block in asked.content if block.type == "tool_use")
messages.append({"role": "assistant", "content": asked.content})
messages.append(
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": use.id, "content": "rain"}]}
)
told = client.messages.create(model=MODEL, max_tokens=99, messages=messages, tools=[TOOL])

count = client.messages.count_tokens(model=MODEL, messages=[{"role": "user", "content": "hello you"}])

batch = make_batch("one", "two")
move_clock("5m")
ended = client.messages.batches.retrieve(batch.id)
results = {
    each.custom_id: each.result.message.content[0].text for each in client.messages.batches.results(batch.id)
}

other = make_batch("three")
listed = [each.id for each in client.messages.batches.list(limit=1)]

busy = client.messages.create(model=MODEL, max_tokens=99, messages=[{"role": "user", "content": "busy"}])
heard, broke = "", ""
try:
    with client.messages.stream(
        model=MODEL, max_tokens=99, messages=[{"role": "user", "content": "a long story"}]
    ) as stream:
        for text in stream.text_stream:
            heard += text
except anthropic.APIStatusError as error:
    broke = error.body["error"]["message"]
try:
    client.messages.batches.retrieve("msgbatch_nobody")
    missing = 0
except anthropic.NotFoundError as error:
    missing = error.status_code

tell(
    text=message.content[0].text,
    tool={"name": use.name, "input": use.input, "pieces": len(pieces) > 2, "stop": asked.stop_reason},
    told=told.content[0].text,
    tokens=count.input_tokens > 0,
    batch=batch.id,
    status=[batch.processing_status, ended.processing_status],
    results=results,
    listed=listed == [other.id, batch.id],
    busy=busy.content[0].text,
    heard=heard,
    broke=broke,
    missing=missing,
)
