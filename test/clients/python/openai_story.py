"""A chat with a tool, answers that are kept, vectors and a file, by the vendor's own library."""

import openai
from world import tell

client = openai.OpenAI(api_key="sk-story")
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}

chat = client.chat.completions.create(model="gpt-5", messages=[{"role": "user", "content": "hello you"}])

messages: list = [{"role": "user", "content": "What is the weather?"}]
name, call, arguments, pieces, tokens = "", "", "", 0, 0
with client.chat.completions.create(
    model="gpt-5", messages=messages, tools=[TOOL], stream=True, stream_options={"include_usage": True}
) as stream:
    for chunk in stream:
        if chunk.usage is not None:
            tokens = chunk.usage.total_tokens
        for choice in chunk.choices:
            for part in choice.delta.tool_calls or []:
                name += part.function.name or ""
                call += part.id or ""
                arguments += part.function.arguments or ""
                pieces += 1
messages.append(
    {
        "role": "assistant",
        "tool_calls": [{"id": call, "type": "function", "function": {"name": name, "arguments": arguments}}],
    }
)
messages.append({"role": "tool", "tool_call_id": call, "content": "rain"})
told = client.chat.completions.create(model="gpt-5", messages=messages, tools=[TOOL])

kept = [
    client.chat.completions.create(model="gpt-5", messages=[{"role": "user", "content": each}], store=True).id
    for each in ("one", "two", "three")
]
client.chat.completions.update(kept[0], metadata={"read": "yes"})
client.chat.completions.delete(kept[1])
metadata = client.chat.completions.retrieve(kept[0]).metadata
listed = [each.id for each in client.chat.completions.list(limit=1)]

response = client.responses.create(model="gpt-5", input="keep this")
follow = client.responses.create(model="gpt-5", input="and this", previous_response_id=response.id)
text = ""
for event in client.responses.create(model="gpt-5", input="in pieces please", stream=True):
    if event.type == "response.output_text.delta":
        text += event.delta

vectors = client.embeddings.create(model="text-embedding-3-small", input=["a red apple", "a red apple", "rain"]).data
file = client.files.create(file=("notes.txt", b"one\ntwo\n"), purpose="user_data")
content = client.files.content(file.id).text

busy = client.chat.completions.create(model="gpt-5", messages=[{"role": "user", "content": "busy"}])
heard, broke = "", ""
try:
    for chunk in client.chat.completions.create(
        model="gpt-5", messages=[{"role": "user", "content": "a long story"}], stream=True
    ):
        heard += chunk.choices[0].delta.content or ""
except openai.APIError as error:
    broke = error.message
try:
    client.files.retrieve("file-nobody")
    missing = 0
except openai.NotFoundError as error:
    missing = error.status_code

tell(
    chat=chat.choices[0].message.content,
    tool={"name": name, "arguments": arguments, "pieces": pieces > 2, "usage": tokens > 0},
    told=told.choices[0].message.content,
    kept={"ids": kept, "listed": listed, "metadata": metadata},
    response=response.id,
    text=response.output_text,
    follow=follow.id,
    streamed=text,
    embedding={
        "length": len(vectors[0].embedding),
        "same": vectors[0].embedding == vectors[1].embedding,
        "other": vectors[0].embedding == vectors[2].embedding,
    },
    file=file.id,
    content=content,
    busy=busy.choices[0].message.content,
    heard=heard,
    broke=broke,
    missing=missing,
)
