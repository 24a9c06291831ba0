import t from 'tap';

// A page's modules have their types in comments, which this program does not read.
const { conditionText } = (await import(
  new URL('../../../console/world/conditions.js', import.meta.url).href
)) as {
  conditionText(label: string, match: object): string;
};

t.test('each failed place of a match in words', t => {
  for (const [label, match, words] of [
    ['method', { method: 'POST' }, 'the method is not “POST”'],
    ['path', { path: { regex: '^/v1', flags: 'i' } }, 'the path does not fit /^/v1/i'],
    ['query.limit', { query: { limit: { equals: '3' } } }, 'the query’s limit is not “3”'],
    ['header.x-team', { header: { 'x-team': 'a' } }, 'the header x-team is not “a”'],
    ['body', { body: {} }, 'the body is not “{}”'],
    ['body.items.0', { body: { items: [{ price: 1 }] } }, 'the body’s items.0 is not “{"price":1}”'],
    ['exact.body', { exact: {} }, 'the request’s body is another than the one that was recorded'],
    [
      'lastUser',
      { lastUser: { contains: 'weather' } },
      'the last message of the user does not contain “weather”',
    ],
    [
      'system',
      { system: { containsAll: ['a', 'b'] } },
      'what the model is told to be does not contain all of “a”, “b”',
    ],
    [
      'tool.offered',
      { tool: { offered: ['a', { contains: 'b' }] } },
      'it does not offer the tool “a”, contains “b”',
    ],
    ['toolResult', { toolResult: true }, 'it does not end with a tool’s result'],
    ['toolResult', { toolResult: false }, 'it ends with a tool’s result'],
    ['toolResult', { toolResult: { text: 'x' } }, 'it does not end with a tool’s result that is “x”'],
    ['turn', { turn: 2 }, 'the turn of the conversation is not “2”'],
    ['stream', { stream: true }, 'it asks for no stream'],
    ['any', { any: [] }, 'none of what may be (any) is so'],
    ['not', { not: {} }, 'what must not be (not) is so'],
    // Of a match within `all`, whose places are named alike.
    ['model', { all: [{ model: 'x' }] }, 'the model is another'],
  ] as const)
    t.equal(conditionText(label, match), words);
  t.end();
});
