// A long conversation made short, by the vendor's own SDK: what the user said, and an item that stands for the rest.
import OpenAI from 'openai';
import t from 'tap';
import { type LlmWorld, openLlmWorld } from '../../kit/llm-world.ts';

const sdk = (made: LlmWorld): OpenAI => new OpenAI({ apiKey: 'sk-test', fetch: made.fetch, maxRetries: 0 });
const model = 'gpt-5.1';

t.test('the user’s words stay, the rest is sealed, and goes on as what was said before', async t => {
  await using made = await openLlmWorld('openai', {
    handlers: [
      {
        id: 'knows',
        match: { input: { contains: 'A hat is warm' }, turn: 2 },
        reply: { text: 'As I said.' },
      },
      { id: 'first', match: { lastUser: 'What is a hat?' }, reply: { text: 'A hat is warm.' } },
    ],
  });
  const { responses } = sdk(made);
  const first = await responses.create({ model, input: 'What is a hat?' });
  const short = await responses.compact({ model, previous_response_id: first.id, input: 'And then?' });
  t.match(short, { object: 'response.compaction', usage: { input_tokens: Number, total_tokens: Number } });
  t.match(short.output, [
    { type: 'message', role: 'user', content: [{ text: 'What is a hat?' }] },
    { type: 'message', role: 'user', content: [{ text: 'And then?' }] },
    { id: /^cmp_/, type: 'compaction', encrypted_content: String },
  ]);
  t.notMatch(JSON.stringify(short.output), 'A hat is warm');
  const input = [...short.output, { role: 'user', content: 'Again?' }] as OpenAI.Responses.ResponseInput;
  t.equal((await responses.create({ model, input })).output_text, 'As I said.');
  t.equal((await made.kinds()).at(-2), 'response.compacted');
  const foreign = { type: 'compaction', encrypted_content: 'gAAAAAB' } as const;
  const other = await responses.create({ model, input: [foreign, { role: 'user', content: 'Hi' }] });
  t.equal(other.output_text, 'You said: Hi', 'one that is the vendor’s own says nothing here');
  await t.rejects(responses.compact({ model }), { status: 400, param: 'input', message: /'input'/ });
});

t.test('of a conversation that is too long to be sealed the newest is kept', async t => {
  await using made = await openLlmWorld('openai');
  const { responses } = sdk(made);
  const said = Array.from({ length: 5_000 }, (_, n) => ({
    role: 'assistant' as const,
    content: `So it is, for the ${n}th time.`,
  }));
  const short = await responses.compact({ model, input: said });
  const sealed = short.output.find(({ type }) => type === 'compaction') as { encrypted_content: string };
  t.ok(sealed.encrypted_content.length < 100_000);
  const text = atob(sealed.encrypted_content.split('.')[1]!);
  t.match(text, 'the 4999th time');
  t.notMatch(text, 'the 1th time');
});
