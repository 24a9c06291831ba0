// What every program here asks of its framework, and how it tells what it saw: one last line of JSON, by row.

/** The API that this run is to ask: `responses`, `chat` or `anthropic`. */
export const API = process.argv[2];

/** Tells what this run asked from what every other did. */
const TAG = process.argv[3];

export const MODEL = { responses: 'gpt-5', chat: 'gpt-4o', anthropic: 'claude-opus-4-5' }[API];

export const say = words => `${words} from ${TAG}`;

/** Each row's own end, for one that throws is a fact as well. */
export async function tellRows(rows) {
  const told = {};
  for (const [name, row] of Object.entries(rows)) {
    try {
      told[name] = await row();
    } catch (error) {
      told[name] = { threw: `${error?.name}: ${error?.message ?? error}` };
    }
  }
  process.stdout.write(`\n${JSON.stringify(told)}\n`, () => process.exit(0));
}

/** What a stream of texts came as. */
export async function inPieces(stream) {
  const pieces = [];
  for await (const piece of stream) if (piece) pieces.push(piece);
  return { text: pieces.join(''), pieces: pieces.length };
}
