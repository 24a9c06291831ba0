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
      { ok: true, ask: { authority: { host, port }, run: DEFAULT_RUN, guest: true, contained: false } },
      target,
    );
  const contained = { ...from, contained: true };
  t.match(readConnect({ target: 'p.test:443', attached: null }, contained, world()), {
    ask: { contained: true },
  });
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

t.test(
  '[7.2] what a client says it will send is refused at the CONNECT where it will be, and never let by',
  t => {
    const open = { run: DEFAULT_RUN, guest: false };
    for (const [target, attached, rule] of [
      ['tw.test:443', 'raw', 'raw-socket-twinned'],
      ['tw.test:443', 'http2', null],
      ['tw.test:443', 'datagram', 'raw-socket-twinned'],
      ['tw.test:587', 'raw', 'unclaimed-path'],
      ['shop.test:443', 'raw', 'raw-socket-app'],
      ['shop.test:443', 'http2', null],
      ['mail.test:25', 'raw', null],
      ['mail.test:25', 'datagram', 'inspected-transport'],
      ['db:5432', 'raw', null],
      ['o.test:443', 'raw', 'inspected-transport'],
      ['o.test:443', 'http2', 'inspected-transport'],
      ['o.test:443', 'policy-unreadable', null],
      ['o.test:443', 'raw, policy-unreadable', 'policy-unreadable'],
      ['never.test:443', 'raw', 'not-granted'],
      ['never.test:443', 'http2', 'not-granted'],
      ['127.0.0.1:5432', 'raw', null],
      ['127.0.0.1:4000', 'http2', null],
      ['never.test:443', 'anything else', null],
      ['never.test:443', '', null],
    ] as const) {
      const read = readConnect({ target, attached }, open, world());
      const what = `${target} ${attached}`;
      if (rule === null) t.equal(read.ok, true, what);
      else t.match(read, { ok: false, refusal: { rule } }, what);
    }
    const told = readConnect({ target: 'o.test:443', attached: 'policy-unreadable' }, open, world());
    t.match(told, { ask: { run: { policyUnreadable: true } } }, 'what comes through is judged by it');
    t.end();
  },
);
