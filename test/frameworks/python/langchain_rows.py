"""LangChain: its models, its agent with a checkpointer, and its embeddings."""

from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from kept import kept_as_chat, kept_by_response
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool as as_tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel
from rows import API, MODEL, in_pieces, say, tell_rows

if API == "anthropic":
    model = ChatAnthropic(model=MODEL)
else:
    model = ChatOpenAI(model=MODEL, use_responses_api=API == "responses")


class Facts(BaseModel):
    city: str
    people: int


async def plain(words="hello"):
    return (await model.ainvoke(say(words))).text


async def texts(chunks):
    async for chunk in chunks:
        yield chunk.text


async def stream():
    return await in_pieces(texts(model.astream(say("in pieces"))))


async def tool():
    cities = []

    @as_tool
    def get_weather(city: str) -> str:
        """The weather of a city."""
        cities.append(city)
        return "rain"

    agent = create_agent(model, tools=[get_weather])
    ended = await agent.ainvoke({"messages": [{"role": "user", "content": say("the weather")}]})
    return {"text": ended["messages"][-1].text, "cities": cities}


async def structure():
    return (await model.with_structured_output(Facts).ainvoke(say("the facts"))).model_dump()


async def memory():
    agent = create_agent(model, tools=[], checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "1"}}
    for words in ("I am Ada", "what is my name"):
        ended = await agent.ainvoke({"messages": [{"role": "user", "content": say(words)}]}, config)
    return ended["messages"][-1].text


async def kept():
    if API == "chat":
        keeping, kept_by = ChatOpenAI(model=MODEL, store=True), kept_as_chat
    else:
        keeping = ChatOpenAI(model=MODEL, use_responses_api=True, use_previous_response_id=True)
        kept_by = kept_by_response
    turns = [HumanMessage(say("I am Ada"))]
    turns.append(await keeping.ainvoke(turns))
    turns.append(HumanMessage(say("what is my name")))
    return [await kept_by((await keeping.ainvoke(turns)).response_metadata["id"])]


async def embed():
    # Counting tokens here would fetch its table from somebody else.
    embeddings = OpenAIEmbeddings(model="text-embedding-3-small", check_embedding_ctx_length=False)
    return [len(each) for each in await embeddings.aembed_documents([say("one"), say("two")])]


tell_rows(plain, stream, tool, structure, memory, kept, embed)
