// The platforms whose passes the worlds take (5.3-7), as TRUSTED_ISSUERS names them: https URLs, whose keys are at
// `<url>/.well-known/jwks.json`.

import type { Log } from '../control/ports/log.ts';
import type { TrustedIssuer } from '../control/ports/trusted-issuer.ts';
import { ISSUER_KEYS_BYTES_MAX, ISSUER_TIMEOUT_MS } from '../control/world/limits.ts';
import { parseJson } from '../policy/json-text.ts';

export function trustedIssuers(named: string | undefined, log: Log): readonly TrustedIssuer[] {
  return (named ?? '')
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '')
    .flatMap(name => {
      const url = URL.parse(name);
      if (url?.protocol === 'https:' && url.username === '' && url.search === '' && url.hash === '')
        return [{ issuer: name, keys: () => fetchKeys(`${name.replace(/\/$/, '')}/.well-known/jwks.json`) }];
      // Over http anybody on the way could answer with keys of their own.
      log.error(
        {},
        `TRUSTED_ISSUERS names ${JSON.stringify(name)}, which is no https URL; nobody is trusted for it`,
      );
      return [];
    });
}

/** Follows no redirect: the keys are where the operator said. */
async function fetchKeys(place: string): Promise<unknown> {
  const answer = await fetch(place, {
    headers: { accept: 'application/json' },
    redirect: 'manual',
    signal: AbortSignal.timeout(ISSUER_TIMEOUT_MS),
  });
  if (answer.status !== 200) {
    await answer.body?.cancel();
    throw new Error(`the issuer answered ${answer.status}`);
  }
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of answer.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > ISSUER_KEYS_BYTES_MAX) throw new Error('the issuer’s answer is too large');
  }
  const read = parseJson(text);
  if (!read.ok) throw new Error(`the issuer’s keys are ${read.why}`);
  return read.value;
}
