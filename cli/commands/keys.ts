// `wrld world keys`: named keys, each revocable alone, for what should not hold the world's own token.
import type { Command } from '../command.ts';
import { instantText, table } from '../output.ts';
import { askWorld, REACH_FLAGS, REACH_USAGE } from '../reached-world.ts';

type Key = {
  readonly id: string;
  readonly name: string;
  readonly scope: 'write' | 'read';
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
  readonly for: string | null;
  readonly person: string | null;
};

export const worldKeys: Command = {
  words: ['world', 'keys'],
  summary: 'the world’s named keys',
  usage: REACH_USAGE,
  flags: REACH_FLAGS,
  operandsMax: 0,
  takesCommand: false,
  examples: [
    ['wrld world keys', 'names, scopes, last use'],
    ['wrld world keys make ci', 'a key for a pipeline; it is shown once'],
  ],
  run: (given, around) =>
    askWorld<{ readonly keys: readonly Key[] }>(
      'world keys',
      given,
      around,
      ({ client, own }) => client.get(own('keys')),
      ({ keys }) => {
        const { output } = around;
        if (keys.length === 0) {
          output.line(output.ink('dim', 'No keys. Make one: wrld world keys make <name>'));
          return;
        }
        const rows = keys.map(key => [
          key.id,
          key.name,
          key.scope,
          key.person ?? key.for ?? '',
          instantText(key.createdAt),
          instantText(key.lastUsedAt ?? 'never'),
          instantText(key.expiresAt ?? 'never'),
        ]);
        for (const line of table(output, ['id', 'name', 'scope', 'for', 'made', 'last used', 'ends'], rows))
          output.line(line);
      },
    ),
};

export const worldKeysMake: Command = {
  words: ['world', 'keys', 'make'],
  summary: 'make a key; its secret is shown once',
  usage: `<name> [--read] [--for <subject>] [--for-name <name>] [--expires <instant>] [--replace] ${REACH_USAGE}`,
  flags: {
    read: { type: 'switch', does: 'a key that only reads; a browser opens the world’s pages with it' },
    for: { type: 'value', value: '<subject>', does: 'the person it is for, by the subject that revokes it' },
    'for-name': { type: 'value', value: '<name>', does: 'that person’s name, as the log shows it' },
    expires: { type: 'value', value: '<instant>', does: 'when it ends by itself' },
    replace: { type: 'switch', does: 'remove the key of that name for that person first' },
    ...REACH_FLAGS,
  },
  operandsMax: 1,
  takesCommand: false,
  examples: [['wrld world keys make ci --read', 'prints tok_k_…, which nothing shows again']],
  run: async (given, around) => {
    const { output } = around;
    const [name] = given.operands;
    if (name === undefined) {
      output.error('wrld world keys make needs a name: wrld world keys make ci');
      return 2;
    }
    const { values, switches } = given;
    const optional = { for: 'for', forName: 'for-name', expiresAt: 'expires' } as const;
    const body: { [field: string]: unknown } = { name, scope: switches.has('read') ? 'read' : 'write' };
    for (const [field, flag] of Object.entries(optional)) {
      const value = values.get(flag);
      if (value !== undefined) body[field] = value;
    }
    if (switches.has('replace')) body['replace'] = true;
    return askWorld<{ readonly id: string; readonly key: string }>(
      'world keys make',
      given,
      around,
      ({ client, own }) => client.send('POST', own('keys'), body),
      ({ id, key }) => {
        output.line(key);
        output.error(output.ink('dim', `Key ${id}. This is the only time it is shown.`));
      },
    );
  },
};

export const worldKeysRevoke: Command = {
  words: ['world', 'keys', 'revoke'],
  summary: 'end a key, or every key of a person',
  usage: `[<id>] [--person <subject>] ${REACH_USAGE}`,
  flags: {
    person: { type: 'value', value: '<subject>', does: 'every key made by or for this person' },
    ...REACH_FLAGS,
  },
  operandsMax: 1,
  takesCommand: false,
  examples: [['wrld world keys revoke key_1a2b', 'refused from its next request']],
  run: async (given, around) => {
    const { output } = around;
    const [id] = given.operands;
    const person = given.values.get('person');
    if ((id === undefined) === (person === undefined)) {
      output.error('wrld world keys revoke needs a key’s id or --person, one of them');
      return 2;
    }
    const place =
      id === undefined ? `keys?person=${encodeURIComponent(person!)}` : `keys/${encodeURIComponent(id)}`;
    return askWorld(
      'world keys revoke',
      given,
      around,
      ({ client, own }) => client.send('DELETE', own(place)),
      () => output.line(id === undefined ? `The keys of ${person} are revoked.` : `${id} is revoked.`),
    );
  },
};
