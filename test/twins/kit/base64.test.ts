// Bytes as base64, whatever the runtime.
import t from 'tap';
import { toBase64 } from '../../../twins/kit/base64.ts';

t.test('bytes of any length are what every reader of base64 takes', t => {
  for (const length of [0, 1, 2, 3, 32_767, 32_768, 32_769, 200_000]) {
    const bytes = Uint8Array.from({ length }, (_, n) => (n * 31) % 256);
    t.equal(toBase64(bytes), Buffer.from(bytes).toString('base64'), `${length} bytes`);
  }
  t.end();
});
