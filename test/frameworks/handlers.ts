// What the models of the frameworks' world say. Everything else is echoed, and what fits a schema is made up.
export const CITY = 'Oslo';

const lookUp = (name: string) => ({
  id: `look it up with ${name}`,
  match: { lastUser: { contains: 'the weather from' }, tool: { offered: name }, toolResult: false },
  reply: { toolCalls: [{ name, arguments: { city: CITY } }] },
});

export const HANDLERS: object = {
  version: 1,
  scope: 'conversation',
  handlers: [
    lookUp('get_weather'),
    // As a tool of a server's own is called.
    lookUp('mcp__weather__get_weather'),
    {
      id: 'give the facts',
      match: {
        lastUser: { contains: 'the facts from' },
        tool: { offered: 'StructuredOutput' },
        toolResult: false,
      },
      reply: { toolCalls: [{ name: 'StructuredOutput', arguments: { city: CITY, people: 7 } }] },
    },
    {
      id: 'say it',
      match: { toolResult: { text: { contains: 'rain' } } },
      reply: { text: 'Take an umbrella.' },
    },
    {
      id: 'busy once',
      match: { lastUser: { contains: 'busy from' } },
      times: 1,
      reply: { error: { status: 429, type: 'rate_limit_error', message: 'Slow down.', retryAfter: 0 } },
    },
    {
      id: 'not that',
      match: { lastUser: { contains: 'forbidden from' } },
      reply: { error: { status: 400, type: 'invalid_request_error', message: 'Not that.' } },
    },
    {
      id: 'remembers',
      match: { lastUser: { contains: 'my name' }, input: { contains: 'I am Ada' }, turn: 2 },
      reply: { text: 'Your name is Ada.' },
    },
  ],
};
