"""Pydantic AI: an agent of a model's name, its tools as plain functions, its output as a class."""

from kept import kept_as_chat, kept_by_response, kept_in_conversation, new_conversation
from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.embeddings import Embedder
from rows import API, MODEL, in_pieces, say, tell_rows

NAME = f"{ {'chat': 'openai-chat', 'responses': 'openai-responses', 'anthropic': 'anthropic'}[API] }:{MODEL}"
agent = Agent(NAME, instructions="Be brief.")


class Facts(BaseModel):
    city: str
    people: int


async def plain(words="hello"):
    return (await agent.run(say(words))).output


async def stream():
    async with agent.run_stream(say("in pieces")) as result:
        return await in_pieces(result.stream_text(delta=True, debounce_by=None))


async def tool():
    cities = []
    weatherman = Agent(NAME)

    @weatherman.tool_plain
    def get_weather(city: str) -> str:
        """The weather of a city."""
        cities.append(city)
        return "rain"

    return {"text": (await weatherman.run(say("the weather"))).output, "cities": cities}


async def structure():
    return (await Agent(NAME, output_type=Facts).run(say("the facts"))).output.model_dump()


async def memory():
    first = await agent.run(say("I am Ada"))
    return (await agent.run(say("what is my name"), message_history=first.all_messages())).output


async def kept():
    if API == "chat":
        storing = {"openai_store": True}
        first = await agent.run(say("I am Ada"), model_settings=storing)
        told = {"message_history": first.all_messages(), "model_settings": storing}
        last = await agent.run(say("what is my name"), **told)
        return [await kept_as_chat(last.response.provider_response_id)]
    first = await agent.run(say("I am Ada"))
    settings = {"openai_previous_response_id": first.response.provider_response_id}
    last = await agent.run(say("what is my name"), model_settings=settings)
    conversation = await new_conversation()
    for words in ("I am Ada", "what is my name"):
        await agent.run(say(words), model_settings={"openai_conversation_id": conversation})
    return [
        await kept_by_response(last.response.provider_response_id),
        await kept_in_conversation(conversation),
    ]


async def embed():
    found = await Embedder("openai:text-embedding-3-small").embed_documents([say("one"), say("two")])
    return [len(each) for each in found.embeddings]


tell_rows(plain, stream, tool, structure, memory, kept, embed)
