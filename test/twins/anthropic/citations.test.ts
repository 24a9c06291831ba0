// Citations by the vendor's own SDK: the place of what is said in a document's very words, in blocks and in the stream.
import Anthropic from '@anthropic-ai/sdk';
import t from 'tap';
import { type LlmWorld, openLlmWorld } from '../../kit/llm-world.ts';

const sdk = (made: LlmWorld): Anthropic =>
  new Anthropic({ apiKey: 'sk-ant-test', fetch: made.fetch, maxRetries: 0 });
const enabled = { enabled: true };
const PLAIN = {
  type: 'document',
  title: 'Colours',
  source: { type: 'text', media_type: 'text/plain', data: 'The grass is green. The sky is blue.' },
} as const;
const asks = (content: Anthropic.ContentBlockParam[]): Anthropic.MessageCreateParamsNonStreaming => ({
  model: 'claude-opus-4-6',
  max_tokens: 500,
  messages: [{ role: 'user', content }],
});
const question = { type: 'text', text: 'What colour is the sky?' } as const;
const BLUE = {
  type: 'char_location',
  cited_text: 'The sky is blue.',
  document_index: 0,
  document_title: 'Colours',
  file_id: null,
  start_char_index: 20,
  end_char_index: 36,
};

t.test('an answer is the sentence that fits, with its place, and none where none was asked for', async t => {
  await using made = await openLlmWorld('anthropic');
  const { messages } = sdk(made);
  const cited = await messages.create(asks([{ ...PLAIN, citations: enabled }, question]));
  t.same(cited.content, [{ type: 'text', text: 'The sky is blue.', citations: [BLUE] }]);
  const plain = await messages.create(asks([PLAIN, question]));
  t.match(plain.content, [{ type: 'text', citations: undefined }]);
  const other = await messages.create(
    asks([
      { ...PLAIN, citations: enabled },
      { type: 'text', text: 'Who won?' },
    ]),
  );
  t.match(other.content, [{ text: /^You said/, citations: undefined }], 'which no sentence answers');
  const streamed = messages.stream(asks([{ ...PLAIN, citations: enabled }, question]));
  const told: unknown[] = [];
  streamed.on('citation', citation => told.push(citation));
  t.same((await streamed.finalMessage()).content, cited.content);
  t.same(told, [BLUE]);
});

t.test('a handler’s words are cited where they are those of a document or of a search result', async t => {
  const text = 'I looked. Hats are warm in winter. And The sky is blue. Both.';
  const chunks = ['I looked. Hats ', 'are warm in winter. And The sky is blue. Both.'];
  await using made = await openLlmWorld('anthropic', {
    handlers: [{ id: 'both', match: {}, reply: { text, stream: { chunks } } }],
  });
  const result = {
    type: 'search_result',
    source: 'https://hats.example',
    title: 'Hats',
    content: [
      { type: 'text', text: 'Nothing of it.' },
      { type: 'text', text: 'Hats are warm in winter.' },
    ],
    citations: enabled,
  } as const;
  const blocks = {
    ...PLAIN,
    source: { type: 'content', content: 'The sky is blue.' },
    citations: enabled,
  } as const;
  const asked = asks([{ ...result, content: [...result.content] }, blocks, question]);
  const { content } = await sdk(made).messages.create(asked);
  t.match(content, [
    { text: 'I looked. ', citations: undefined },
    {
      text: 'Hats are warm in winter.',
      citations: [
        {
          type: 'search_result_location',
          search_result_index: 0,
          source: 'https://hats.example',
          title: 'Hats',
          start_block_index: 1,
          end_block_index: 2,
        },
      ],
    },
    { text: ' And ' },
    {
      text: 'The sky is blue.',
      citations: [{ type: 'content_block_location', document_index: 0, start_block_index: 0 }],
    },
    { text: ' Both.' },
  ]);
  const streamed = await sdk(made).messages.stream(asked).finalMessage();
  t.same(streamed.content, content, 'and so in a stream');
});
