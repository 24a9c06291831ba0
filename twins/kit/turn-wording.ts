// How people speak of one call to a model, which the log keeps in short (`logSummary`, or what the vendor's other models
// were asked for): what was asked for, and what came of it.
import { field, textField } from './json.ts';
import { QUOTED_CHARS_MAX } from './limits.ts';
import type { Wording } from './twin.ts';

export const TURN_WORDING: Wording = {
  title: ({ model, request, endpoint }) => {
    const asked = ['lastUser', 'prompt', 'input'].map(name => textField(request, name)).find(Boolean);
    const what = asked === undefined || asked === null ? String(endpoint ?? 'a call') : quoted(asked);
    return `${what} to ${String(model)}`;
  },
  summary: ({ answer }) => {
    const text = textField(answer, 'text');
    const calls = field(answer, 'toolCalls');
    const called = Array.isArray(calls) ? calls.map(call => textField(call, 'name')).filter(Boolean) : [];
    const said = text === null || text === '' ? [] : [`answered ${quoted(text)}`];
    return [...said, ...(called.length > 0 ? [`calls ${called.join(', ')}`] : [])].join(', ');
  },
  columns: {
    Asked: ({ request }) => textField(request, 'lastUser') ?? textField(request, 'prompt'),
    Answered: ({ answer }) => textField(answer, 'text'),
    Model: ({ model }) => (typeof model === 'string' ? model : null),
  },
};

const quoted = (text: string): string =>
  `“${text.length > QUOTED_CHARS_MAX ? `${text.slice(0, QUOTED_CHARS_MAX)}…` : text}”`;
