"""What OpenAI keeps of a program's turns, read back by its own SDK: who asked what and was answered what, in order."""

from openai import AsyncOpenAI


async def kept_by_response(last):
    """Of a response and those before it."""
    texts = []
    async with AsyncOpenAI() as vendor:
        while last is not None:
            response = await vendor.responses.retrieve(last)
            asked = await texts_of(vendor.responses.input_items.list(last, order="asc"))
            texts[:0] = [*asked, f"assistant: {response.output_text}"]
            last = response.previous_response_id
    return texts


async def new_conversation():
    async with AsyncOpenAI() as vendor:
        return (await vendor.conversations.create()).id


async def kept_in_conversation(conversation):
    async with AsyncOpenAI() as vendor:
        return await texts_of(vendor.conversations.items.list(conversation, order="asc"))


async def kept_as_chat(chat):
    """Of a stored chat completion, which is asked with all of the turns before it."""
    async with AsyncOpenAI() as vendor:
        found = await vendor.chat.completions.retrieve(chat)
        asked = await texts_of(vendor.chat.completions.messages.list(chat, order="asc"))
        return [*asked, f"assistant: {found.choices[0].message.content}"]


async def last_chat_of(metadata):
    """For a framework that does not tell the id of what it was answered."""
    async with AsyncOpenAI() as vendor:
        found = await vendor.chat.completions.list(metadata=metadata, order="desc", limit=1)
        return found.data[0].id


async def texts_of(items):
    texts = []
    async for item in items:
        # Some frameworks keep the program's instructions as well.
        if item.role in ("user", "assistant"):
            content = item.content
            text = content if isinstance(content, str) else "".join(part.text for part in content)
            texts.append(f"{item.role}: {text}")
    return texts
