"""OpenAI Agents, which has a choice of OpenAI's two APIs, streams, and a session that remembers."""

from agents import (
    Agent,
    ModelSettings,
    OpenAIConversationsSession,
    Runner,
    SQLiteSession,
    function_tool,
    set_default_openai_api,
)
from kept import kept_as_chat, kept_by_response, kept_in_conversation, last_chat_of, new_conversation
from pydantic import BaseModel
from rows import API, MODEL, in_pieces, say, tell_rows

set_default_openai_api("chat_completions" if API == "chat" else "responses")
agent = Agent(name="Helper", instructions="Be brief.", model=MODEL)


class Facts(BaseModel):
    city: str
    people: int


async def plain(words="hello"):
    return (await Runner.run(agent, say(words))).final_output


async def texts(events):
    async for event in events:
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            yield event.data.delta


async def stream():
    return await in_pieces(texts(Runner.run_streamed(agent, say("in pieces")).stream_events()))


async def tool():
    cities = []

    @function_tool
    def get_weather(city: str) -> str:
        """The weather of a city."""
        cities.append(city)
        return "rain"

    weatherman = Agent(name="Weather", instructions="Be brief.", model=MODEL, tools=[get_weather])
    return {"text": (await Runner.run(weatherman, say("the weather"))).final_output, "cities": cities}


async def structure():
    clerk = Agent(name="Clerk", instructions="Be brief.", model=MODEL, output_type=Facts)
    return (await Runner.run(clerk, say("the facts"))).final_output.model_dump()


async def memory():
    session = SQLiteSession("ada")
    await Runner.run(agent, say("I am Ada"), session=session)
    return (await Runner.run(agent, say("what is my name"), session=session)).final_output


async def kept():
    if API == "chat":
        return [await kept_chat()]
    first = await Runner.run(agent, say("I am Ada"))
    after = {"previous_response_id": first.last_response_id}
    last = await Runner.run(agent, say("what is my name"), **after)
    session = OpenAIConversationsSession()
    conversation = await new_conversation()
    for way in ({"session": session}, {"conversation_id": conversation}):
        for words in ("I am Ada", "what is my name"):
            await Runner.run(agent, say(words), **way)
    return [
        await kept_by_response(last.last_response_id),
        await kept_in_conversation(session.session_id),
        await kept_in_conversation(conversation),
    ]


async def kept_chat():
    metadata = {"row": "kept", "program": "openai-agents"}
    storing = agent.clone(model_settings=ModelSettings(store=True, metadata=metadata))
    session = SQLiteSession("stored")
    for words in ("I am Ada", "what is my name"):
        await Runner.run(storing, say(words), session=session)
    return await kept_as_chat(await last_chat_of(metadata))


tell_rows(plain, stream, tool, structure, memory, kept)
