"""LiteLLM: one function for every vendor's chat, and OpenAI's other APIs under their own names."""

import base64
import json

import litellm
from kept import kept_as_chat, kept_by_response
from pydantic import BaseModel
from rows import API, MODEL, in_pieces, say, tell_rows

NAME = f"{'anthropic' if API == 'anthropic' else 'openai'}/{MODEL}"
PARAMETERS = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


class Facts(BaseModel):
    city: str
    people: int


async def ask(messages, **more):
    if API == "responses":
        return await litellm.aresponses(model=NAME, input=messages, **more)
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    return await litellm.acompletion(model=NAME, messages=messages, **more)


def text_of(answer):
    return answer.output_text if API == "responses" else answer.choices[0].message.content


async def plain(words="hello"):
    return text_of(await ask(say(words)))


async def texts(chunks):
    async for chunk in chunks:
        if API != "responses":
            yield chunk.choices[0].delta.content
        elif chunk.type == "response.output_text.delta":
            yield chunk.delta


async def stream():
    return await in_pieces(texts(await ask(say("in pieces"), stream=True)))


async def tool():
    function = {"name": "get_weather", "parameters": PARAMETERS}
    if API == "responses":
        tools = [{"type": "function", "strict": True, **function}]
        first = await ask(say("the weather"), tools=tools)
        [call] = [item for item in first.output if item.type == "function_call"]
        result = {"type": "function_call_output", "call_id": call.call_id, "output": "rain"}
        told = await ask([result], tools=tools, previous_response_id=first.id)
        return {"text": text_of(told), "cities": [json.loads(call.arguments)["city"]]}
    tools = [{"type": "function", "function": function}]
    messages = [{"role": "user", "content": say("the weather")}]
    message = (await ask(messages, tools=tools)).choices[0].message
    [call] = message.tool_calls
    messages += [message, {"role": "tool", "tool_call_id": call.id, "content": "rain"}]
    told = await ask(messages, tools=tools)
    return {"text": text_of(told), "cities": [json.loads(call.function.arguments)["city"]]}


async def structure():
    more = {"text_format": Facts} if API == "responses" else {"response_format": Facts}
    return json.loads(text_of(await ask(say("the facts"), **more)))


async def memory():
    first = await ask(say("I am Ada"))
    if API == "responses":
        return text_of(await ask(say("what is my name"), previous_response_id=first.id))
    return text_of(await ask(turns_after(first)))


def turns_after(first):
    return [
        {"role": "user", "content": say("I am Ada")},
        {"role": "assistant", "content": text_of(first)},
        {"role": "user", "content": say("what is my name")},
    ]


async def kept():
    if API == "chat":
        # A `store` of its own it takes and does not send.
        storing = {"extra_body": {"store": True}}
        first = await ask(say("I am Ada"), **storing)
        return [await kept_as_chat((await ask(turns_after(first), **storing)).id)]
    first = await ask(say("I am Ada"))
    last = await ask(say("what is my name"), previous_response_id=first.id)
    # Its ids are the vendor's with its own notes around them.
    noted = base64.b64decode(last.id.removeprefix("resp_")).decode()
    return [await kept_by_response(noted.rpartition("response_id:")[2])]


async def embed():
    found = await litellm.aembedding(model="openai/text-embedding-3-small", input=[say("one"), say("two")])
    return [len(each["embedding"]) for each in found.data]


tell_rows(plain, stream, tool, structure, memory, kept, embed)
