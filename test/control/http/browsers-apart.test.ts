// [storage invariant 13] Browsers never appear in log, diff or changeset, as a model: of one random history, the log, the timeline,
// the diff and the changeset are the same, byte for byte, whether the steps that are about browsers are in it or not.
import t from 'tap';
import { fc } from '../../kit/property.ts';
import { openTestSite, type TestSite } from '../../kit/site.ts';

const RUNS = 40;
const AT = '/-/acme/notes';
/** In everything that a browser holds, and in nothing else. */
const SECRET = 'of-a-browser';

type Step =
  | { readonly do: 'note'; readonly id: string; readonly n: number | null }
  | { readonly do: 'later'; readonly seconds: number }
  | { readonly do: 'cut' }
  | {
      readonly do: 'browser';
      readonly method: 'PUT' | 'DELETE' | 'GET';
      readonly name: string;
      readonly n: number;
    }
  | { readonly do: 'loads'; readonly name: string }
  | { readonly do: 'renew' };

// The same names as notes have.
const name = fc.constantFrom('p', 'q');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('note' as const),
    id: name,
    n: fc.option(fc.nat(3)),
  }),
  fc.record({ do: fc.constant('later' as const), seconds: fc.nat(90) }),
  fc.constant({ do: 'cut' } as const),
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('browser' as const),
      method: fc.constantFrom('PUT' as const, 'DELETE' as const, 'GET' as const),
      name,
      n: fc.nat(3),
    }),
  },
  fc.record({ do: fc.constant('loads' as const), name }),
  fc.constant({ do: 'renew' } as const),
);

const profile = (n: number): object => ({
  storageState: {
    cookies: [
      {
        ...{ name: `c${n}-${SECRET}`, value: SECRET, domain: 'note.test', path: `/${SECRET}` },
        ...{ expires: -1, httpOnly: false, secure: false, sameSite: 'Lax' },
      },
    ],
    origins: [{ origin: 'https://note.test', localStorage: [{ name: `k${n}`, value: SECRET }] }],
  },
  context: {},
});

const isBrowsers = (step: Step): boolean => ['browser', 'loads', 'renew'].includes(step.do);

const take = async (at: TestSite, step: Step, cuts: string[]): Promise<void> => {
  const headers = [
    ['x-wrld-token', at.token],
    ['content-type', 'application/json'],
  ] as const;
  switch (step.do) {
    case 'note':
      await at.notes.ask(step.n === null ? 'DELETE' : 'PUT', `/notes/${step.id}`, { n: step.n });
      return;
    case 'later':
      at.notes.wall.at += step.seconds * 1000;
      return;
    case 'cut': {
      const made = await at.ask({
        ...{ method: 'POST', target: `${AT}/changesets`, headers },
        body: JSON.stringify({ message: 'm', name: `cut-${cuts.length}` }),
      });
      if (made.status < 300) cuts.push(`cut-${cuts.length}`);
      return;
    }
    case 'browser':
      await at.ask({
        ...{ method: step.method, target: `${AT}/browsers/${step.name}`, headers },
        ...(step.method === 'PUT' && { body: JSON.stringify(profile(step.n)) }),
      });
      return;
    case 'loads':
      await at.around.browsers.state(step.name);
      return;
    case 'renew':
      await at.around.browsers.renew();
  }
};

/** All that is told of what was done, and every row of it. */
const told = async (at: TestSite, cuts: readonly string[]): Promise<string> => {
  const headers = [['x-wrld-token', at.readToken]] as const;
  const targets = [
    ...['log/note', 'timeline', 'diff', 'changesets', 'map'],
    ...cuts.map(cut => `changesets/${cut}?body=1`),
  ];
  const texts: string[] = [];
  for (const target of targets) texts.push((await at.ask({ target: `${AT}/${target}`, headers })).text);
  const rows = ['entry', 'ver', 'head', 'changeset', 'receipt', 'due'].map(table =>
    at.notes.sql.all(`SELECT * FROM ${table}`),
  );
  return [...texts, JSON.stringify(rows)].join('\n');
};

t.test('[storage invariant 13] what is told is the same with browsers and without', async t => {
  const seen = { browsers: 0, cuts: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async steps => {
      await using withThem = await openTestSite({ hosts: ['note.test'] });
      await using without = await openTestSite({ hosts: ['note.test'] });
      const cuts: string[] = [];
      for (const each of steps) await take(withThem, each, cuts);
      const others: string[] = [];
      for (const each of steps.filter(each => !isBrowsers(each))) await take(without, each, others);
      t.strictSame(cuts, others);
      const text = await told(withThem, cuts);
      t.notOk(text.includes(SECRET));
      t.equal(text, await told(without, others));
      const shown = await withThem.ask({
        ...{ target: `${AT}/browsers/p`, headers: [['x-wrld-token', withThem.token]] },
      });
      if (shown.text.includes(SECRET)) seen.browsers += 1;
      seen.cuts += cuts.length;
    }),
    { numRuns: RUNS },
  );
  t.ok(seen.browsers > 0 && seen.cuts > 0, JSON.stringify(seen));
});
