// Asks real vendors (3, 4.6): as the root of a twin, at the root's own origin and below its path, with the credential opened
// for that one call.
import { resolvePath } from '../../../policy/path.ts';
import type { RealVendor, VendorHeaders, VendorRequest } from '../../../twins/kit/real-vendor.ts';
import type { Outbound, OutboundAnswer } from '../../ports/outbound.ts';
import type { VendorCredential } from '../seals/credential.ts';
import { readWhole } from '../store/stream-bytes.ts';
import { type Credentials, credentialWords } from './credentials.ts';
import type { AskLimits, VendorAnswered, VendorAsks } from './vendor-asks.ts';
import { originOfUrl, type Rooted } from './vendor-places.ts';

type Parts = {
  /** `<org>/<world>`. */
  readonly world: string;
  readonly roots: Rooted;
  readonly credentials: Credentials;
  readonly outbound: Outbound;
  readonly real: (twin: string) => RealVendor | undefined;
};

type Failed = Extract<VendorAnswered, { ok: false }>;

export class VendorAsking implements VendorAsks {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async ask(twin: string, request: VendorRequest, limits: AskLimits): Promise<VendorAnswered> {
    const { world, roots, credentials, outbound, real } = this.#parts;
    const root = roots.get(twin);
    if (root === null) return failed('no-root', `The twin ${twin} has no root.`);
    const path = resolvePath(request.path);
    const target = path.ok ? path.target : path.literal;
    // As the vendor will read it: what climbs out of the root's own path is asked of nobody.
    if (target === null)
      return failed('refused', `The path of the request cannot be read${path.ok ? '' : `: ${path.why}`}.`);
    const opened = await credentials.open(twin);
    if (!opened.ok)
      return failed(
        opened.why === 'away' ? 'vault-away' : 'no-credential',
        credentialWords(twin, opened.why),
      );
    // The root may have been pointed elsewhere while it was opened.
    if (opened.origin !== originOfUrl(root.url))
      return failed('no-credential', credentialWords(twin, 'other-origin'));
    const shown = credentialHeaders(opened.credential, real(twin));
    if (shown === null)
      return failed('no-credential', `The credential of ${twin} is none of that vendor’s; set it again.`);
    const names = new Set(shown.map(([name]) => name.toLowerCase()));
    const sent = await outbound.send({
      url: root.url + target,
      method: request.method,
      headers: [...request.headers.filter(([name]) => !names.has(name.toLowerCase())), ...shown],
      body: request.body,
      timeoutMs: limits.timeoutMs,
      as: { by: 'root', world, name: twin },
    });
    if (!sent.ok)
      return { ok: false, why: sent.refused ? 'refused' : 'no-answer', message: sent.why, sent: sent.sent };
    return answered(sent, limits.bodyBytesMax);
  }
}

/** Null where the vendor takes no such text. `real` absent: most vendors take a bearer. */
export const credentialHeaders = (
  { shown }: VendorCredential,
  real: RealVendor | undefined,
): VendorHeaders | null => {
  if (shown.as === 'headers') return shown.headers.map(([name, value]) => [name, value.reveal()] as const);
  if (real === undefined) return [['Authorization', `Bearer ${shown.key.reveal()}`]];
  try {
    return real.authorize(shown.key.reveal());
  } catch {
    // Its words may hold the credential.
    return null;
  }
};

const failed = (why: Failed['why'], message: string): Failed => ({ ok: false, why, message, sent: false });

const answered = async (
  { status, headers, ms, body: stream }: OutboundAnswer,
  bytesMax: number,
): Promise<VendorAnswered> => {
  let body: Uint8Array | null;
  try {
    body = await readWhole(stream, bytesMax);
  } catch {
    return { ok: false, why: 'no-answer', message: 'The vendor’s answer broke off.', sent: true };
  }
  if (body !== null) return { ok: true, status, headers, body, ms };
  const message = `The vendor’s answer is longer than ${bytesMax} bytes.`;
  return { ok: false, why: 'too-large', message, sent: true };
};
