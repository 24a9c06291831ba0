import t from 'tap';

// A page's modules have their types in comments, which this program does not read.
const { lineOf, linesOf, pointerAt } = (await import(
  new URL('../../../console/world/json-lines.js', import.meta.url).href
)) as {
  linesOf(text: string): Map<string, number>;
  lineOf(lines: Map<string, number>, pointer: string): number;
  pointerAt(text: string, place: number): string;
};

const TEXT = `{
  "version": 1,
  "handlers": [
    { "id": "a", "match": { "body": { "a/b": [1,
      2] } } },
    {
      "id"
        : "b:{",
      "reply": { "tex~t": "x" }
    }
  ]
}`;

t.test('each value has the line that it stands on', t => {
  const lines = linesOf(TEXT);
  for (const [pointer, line] of [
    ['', 1],
    ['/version', 2],
    ['/handlers', 3],
    ['/handlers/0', 4],
    ['/handlers/0/match/body/a~1b', 4],
    ['/handlers/0/match/body/a~1b/1', 5],
    ['/handlers/1', 6],
    ['/handlers/1/id', 8],
    ['/handlers/1/reply/tex~0t', 9],
  ] as const)
    t.equal(lines.get(pointer), line, pointer);
  t.equal(lineOf(lines, '/handlers/1/match'), 6, 'what is missing is missed where it should be');
  t.equal(lineOf(lines, '/scope'), 1);
  t.equal(lineOf(linesOf(''), '/scope'), 1);
  t.equal(linesOf('{"a": [1, {"b"').get('/a/0'), 1, 'as far as it goes');
  t.end();
});

t.test('a place is in what stands before it on its line, else in what is open around it', t => {
  for (const [text, pointer] of [
    ['|', ''],
    ['{|', ''],
    ['{ "version": 1,|', '/version'],
    ['{ "version": 1,\n  |', ''],
    ['{ "handlers": [|', '/handlers'],
    ['{ "handlers": [\n  {|', '/handlers/0'],
    ['{ "handlers": [{ "id": "a" }, {\n    |', '/handlers/1'],
    ['{ "handlers": [{ "id": "a", "match": { "last|', '/handlers/0/match'],
    ['{ "handlers": [{ "id": "a", "match": { "lastUser": {|', '/handlers/0/match/lastUser'],
    ['{ "handlers": [{ "match": { "lastUser": "x" }|, "times": 1 }] }', '/handlers/0'],
    ['{ "handlers": [{ "match": {} }]\n|}', ''],
  ] as const) {
    const place = text.indexOf('|');
    t.equal(pointerAt(text.replace('|', ''), place), pointer, text);
  }
  t.end();
});
