// The least that lets pass what was refused.
import t from 'tap';
import { narrowestGrant } from '../../policy/narrowest-grant.ts';
import { type RefusalRecord, refuse } from '../../policy/refusal.ts';

const refused = (target: string, grantField: string | null = 'runtime.network.egress'): RefusalRecord =>
  refuse('not-granted', { target, grantField }, 'http://docs.test');

t.test('[7.2 not-granted] one path, and the list that lacks it', t => {
  const TABLE: readonly (readonly [RefusalRecord, unknown])[] = [
    [
      refused('https://api.test/v1/rates?key=1'),
      { list: 'egress', text: 'https://api.test/v1/rates', kind: 'exact' },
    ],
    [
      refused('https://api.test/v1/rates', 'runtime.network.writes'),
      { list: 'writes', text: 'https://api.test/v1/rates', kind: 'exact' },
    ],
    [refused('https://api.test/v1/'), { list: 'egress', text: 'https://api.test/v1/', kind: 'subtree' }],
    [refused('http://api.test:8080/'), { list: 'egress', text: 'http://api.test:8080/', kind: 'origin' }],
    [refused('https://api.test/a', null), null],
    [refused('https://api.test/a', 'runtime.network.ownLoopback'), null],
    [refused(`https://api.test/${'a'.repeat(2_000)}`), null],
    [refused('https://api.test/%2e%2e/a'), null],
    [refused('https://*.test/a'), null],
    [refuse('sealed', { target: 'https://api.test/a' }, 'http://docs.test'), null],
  ];
  for (const [record, wanted] of TABLE) t.strictSame(narrowestGrant(record), wanted, record.target);
  t.end();
});
