// The platforms whose passes this host takes (5.3-7), as `--trust` and TRUSTED_ISSUERS name them: an https URL,
// whose keys are at `<url>/.well-known/jwks.json`, or a file with a JWK Set that has its `issuer` beside `keys`.
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { resolve } from 'node:path';
import { parseJson } from '../../policy/json-text.ts';
import type { TrustedIssuer } from '../ports/trusted-issuer.ts';
import { ISSUER_KEYS_BYTES_MAX, ISSUER_TIMEOUT_MS } from '../world/limits.ts';
import { ControlError } from './control-error.ts';

/** `folder`: what a file's path is relative to. Throws `ControlError` for what is neither; asks no platform yet. */
export async function trustedIssuers(
  named: readonly string[],
  folder: string,
): Promise<readonly TrustedIssuer[]> {
  return Promise.all(
    named.map(each => (/^[a-z][a-z0-9+.-]*:\/\//i.test(each) ? byUrl(each) : byFile(resolve(folder, each)))),
  );
}

/** The names in TRUSTED_ISSUERS, with commas between them. */
export function issuersIn(environment: string | undefined): readonly string[] {
  return (environment ?? '')
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '');
}

function byUrl(text: string): TrustedIssuer {
  const url = URL.canParse(text) ? new URL(text) : null;
  // Over http anybody on the way could answer with keys of their own.
  if (
    url === null ||
    url.protocol !== 'https:' ||
    url.username !== '' ||
    url.search !== '' ||
    url.hash !== ''
  )
    throw new ControlError(
      'trust-unusable',
      `${text}: a trusted issuer is an https URL, or a file with its keys.`,
    );
  const place = new URL(`${url.pathname.replace(/\/$/, '')}/.well-known/jwks.json`, url);
  return { issuer: text, keys: () => fetchKeys(place) };
}

async function byFile(path: string): Promise<TrustedIssuer> {
  const set = await readSet(path).catch((error: Error) => {
    throw new ControlError('trust-unusable', `${path}: ${error.message}`);
  });
  return {
    issuer: set.issuer,
    keys: async () => {
      const now = await readSet(path);
      if (now.issuer !== set.issuer) throw new Error('the file is another issuer’s now');
      return now;
    },
  };
}

async function readSet(
  path: string,
): Promise<{ readonly issuer: string; readonly keys: readonly unknown[] }> {
  const { issuer, keys } = (jsonOf(await readFile(path)) ?? {}) as { issuer?: unknown; keys?: unknown };
  if (typeof issuer !== 'string' || issuer === '' || !Array.isArray(keys))
    throw new Error(
      'a file of a trusted issuer is a JWK Set with its `issuer`: { "issuer": …, "keys": […] }',
    );
  return { issuer, keys };
}

function jsonOf(bytes: Uint8Array): unknown {
  const read = parseJson(bytes);
  if (!read.ok) throw new Error(`the issuer’s keys are ${read.why}`);
  return read.value;
}

/** Follows no redirect: the keys are where the operator said. */
function fetchKeys(place: URL): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const asked = request(place, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(ISSUER_TIMEOUT_MS),
    });
    asked.on('error', reject);
    asked.on('response', response => {
      if (response.statusCode !== 200) {
        response.resume();
        reject(new Error(`the issuer answered ${response.statusCode}`));
        return;
      }
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > ISSUER_KEYS_BYTES_MAX) asked.destroy(new Error('the issuer’s answer is too large'));
        else chunks.push(chunk);
      });
      response.on('error', reject);
      response.on('end', () => {
        try {
          resolve(jsonOf(Buffer.concat(chunks)));
        } catch (error) {
          reject(error as Error);
        }
      });
    });
    asked.end();
  });
}
