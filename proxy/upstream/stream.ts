// The way to a TCP twin: control's socket for twins, switched from HTTP to the twin's own bytes.
import { type Authority, formatAuthority } from '../../policy/authority.ts';
import { STREAM_PROTOCOL } from '../../policy/push.ts';
import { DIAL_MS_MAX } from '../limits.ts';
import { type Dialled, dialControl } from './dial.ts';
import { askForConnection } from './handover.ts';

/** A TCP twin's stream, and who asks for it. */
export type StreamAsked = {
  /** `<org>/<world>`. */
  readonly world: string;
  readonly vendor: string;
  readonly stream: string;
  readonly authority: Authority;
  readonly run: string;
};

/** The bare connection to a TCP twin, by an upgrade on control's socket. */
export async function dialStream(path: string, asked: StreamAsked): Promise<Dialled> {
  const dialled = await dialControl(path, true);
  if (!dialled.ok) return dialled;
  const { world, vendor, stream, authority, run } = asked;
  const host = formatAuthority(authority);
  const request =
    `GET /${world}/${vendor}/streams/${stream} HTTP/1.1\r\nHost: ${host}\r\n` +
    `Connection: Upgrade\r\nUpgrade: ${STREAM_PROTOCOL}\r\n` +
    `x-wrld-host: ${host}\r\nx-wrld-scheme: tcp\r\nx-wrld-run: ${run}\r\n\r\n`;
  const deadline = AbortSignal.timeout(DIAL_MS_MAX);
  const opened = await askForConnection(dialled.socket, request, status => status === 101, deadline);
  return opened.ok ? dialled : { ok: false, failure: { stage: 'closed', why: `control ${opened.why}` } };
}
