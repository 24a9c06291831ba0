"""OpenAI Agents, which has a choice of OpenAI's two APIs, streams, and a session that remembers."""

from agents import Agent, OpenAIConversationsSession, Runner, SQLiteSession, function_tool, set_default_openai_api
from openai import AsyncOpenAI
from pydantic import BaseModel
from rows import API, MODEL, in_pieces, say, tell_rows, text_of

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
    session = OpenAIConversationsSession()
    await Runner.run(agent, say("I am Ada"), session=session)
    await Runner.run(agent, say("what is my name"), session=session)
    async with AsyncOpenAI() as vendor:
        items = [item async for item in vendor.conversations.items.list(session.session_id, order="asc")]
    asked = [text_of(item) for item in items if item.role == "user"]
    return {"asked": asked, "answered": text_of(items[-1])}


tell_rows(plain, stream, tool, structure, memory, kept)
