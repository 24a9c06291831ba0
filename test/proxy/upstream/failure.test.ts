import t from 'tap';
import { reasonOf } from '../../../proxy/upstream/failure.ts';

t.test('[7.1] an authority that nobody trusts is told with the fix that a world has', async t => {
  const error = Object.assign(
    new Error('self-signed certificate in certificate chain; try running Node.js with --use-system-ca'),
    { code: 'SELF_SIGNED_CERT_IN_CHAIN' },
  );
  t.match(reasonOf(error), /start the world with NODE_EXTRA_CA_CERTS=.*\(SELF_SIGNED_CERT_IN_CHAIN\)$/);
  t.notMatch(reasonOf(error), /use-system-ca/);
  const other = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
  t.equal(reasonOf(other), 'connect ECONNREFUSED 127.0.0.1:1');
});
