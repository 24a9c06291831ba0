"""What every program here asks of its framework, and how it tells what it saw: one last line of JSON, by row."""

import asyncio
import json
import os
import sys

# The API that this run is to ask: responses, chat or anthropic.
API = sys.argv[1]
# Tells what this run asked from what every other did.
TAG = sys.argv[2]
MODEL = {"responses": "gpt-5", "chat": "gpt-4o", "anthropic": "claude-opus-4-5"}[API]


def say(words):
    return f"{words} from {TAG}"


async def in_pieces(stream):
    """What a stream of texts came as."""
    pieces = [piece async for piece in stream if piece]
    return {"text": "".join(pieces), "pieces": len(pieces)}


def tell_rows(plain, stream, tool, structure, memory, kept, embed=None):
    """Each row's own end, for one that throws is a fact as well."""
    rows = {
        "plain": plain,
        "stream": stream,
        "tool": tool,
        "structure": structure,
        "busy": lambda: plain("busy"),
        "refused": lambda: plain("forbidden"),
        "memory": memory,
    }
    # What OpenAI alone keeps and measures.
    if API != "anthropic":
        rows["kept"] = kept
        if embed is not None:
            rows["embed"] = embed

    async def main():
        told = {}
        for name, row in rows.items():
            try:
                told[name] = await row()
            except Exception as error:
                told[name] = {"threw": f"{type(error).__name__}: {error}"}
        return told

    told = asyncio.run(main())
    print("\n" + json.dumps(told), flush=True)
    # What a framework still has to tell others is none of this.
    os._exit(0)
