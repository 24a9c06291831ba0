import t from 'tap';
import { DEFAULT_RUN } from '../../../policy/run.ts';
import { readConnect } from '../../../proxy/core/connect.ts';
import { world } from '../../policy/world.ts';

const from = { run: DEFAULT_RUN, guest: true };

t.test('[design: a CONNECT is accepted and then sniffed] whoever can be read is not judged yet', t => {
  for (const [target, host, port] of [
    ['p.test:443', 'p.test', 443],
    ['Never-Granted.test:22', 'never-granted.test', 22],
    ['[::1]:80', '::1', 80],
  ] as const)
    t.match(
      readConnect({ target, attached: null }, from, world()),
      { ok: true, ask: { authority: { host, port }, run: DEFAULT_RUN, guest: true } },
      target,
    );
  t.end();
});

t.test('[bad-input Authority] what nobody can read is refused at once', t => {
  for (const target of ['p.test', 'p.test:0443', 'u@p.test:443', '/x', ''])
    t.match(
      readConnect({ target, attached: null }, from, world()),
      { ok: false, refusal: { rule: 'invalid', missing: 'grant' } },
      target,
    );
  t.end();
});
