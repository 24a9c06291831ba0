// A world with an inbox: the SMTP twin in a real world, its wire server on a real listener, and what came in.
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Authority, loadAuthority } from '../../certs/authority.ts';
import { openSmtp } from '../../control/node/smtp-wire.ts';
import { type StreamAddress, Streams } from '../../control/node/streams.ts';
import { mountTwin } from '../../twins/kit/mount.ts';
import { WIRE_LIMITS, type WireLimits } from '../../twins/smtp/limits.ts';
import type { Content, Message } from '../../twins/smtp/records.ts';
import { smtpTwin } from '../../twins/smtp/twin.ts';
import { Peer } from './peer.ts';
import { openTestSite, type TestSite } from './site.ts';

export type Mail = Message & Content;

export type SmtpWorld = AsyncDisposable & {
  readonly site: TestSite;
  readonly streams: Streams;
  readonly at: StreamAddress;
  readonly authority: Authority;
  /** Newest first. */
  mails(): Promise<Mail[]>;
  /** What the inbox answers at its own path. */
  get(path: string): ReturnType<TestSite['ask']>;
  /** The twin's log without what the entries changed. */
  log(): Promise<{ kind: string; caller: string | null; request: object; traceId: string | null }[]>;
  /** A client of one's own words, greeted. */
  talk(): Promise<Peer>;
};

export type SmtpWorldOptions = {
  readonly limits?: Partial<WireLimits>;
  readonly handlers?: readonly object[];
};

export async function openSmtpWorld({ limits, handlers }: SmtpWorldOptions = {}): Promise<SmtpWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'wrld-'));
  const loaded = await loadAuthority(join(folder, 'ca'));
  if (!loaded.ok) throw new Error(loaded.why);
  const { authority } = loaded;
  const mounted = mountTwin(smtpTwin, null);
  if (handlers !== undefined) {
    const read = mounted.load(JSON.stringify({ version: 1, handlers }));
    if (!read.ok) throw new Error(JSON.stringify(read));
  }
  const site = await openTestSite({ twins: { smtp: mounted } });
  const streams = new Streams({
    authority,
    log: site.around.log,
    servers: { smtp: async () => host => openSmtp(host, { ...WIRE_LIMITS, ...limits }) },
  });
  await streams.load(['smtp']);
  const listener = await streams.listen(site.site.stream('smtp', 'smtp')!);
  const get: SmtpWorld['get'] = path =>
    site.ask({ target: `/acme/notes/smtp${path}`, headers: [['x-wrld-token', site.token]] });
  return {
    site,
    streams,
    at: listener.at,
    authority,
    get,
    mails: async () => {
      const { messages } = (await get('/messages')).json as { messages: Message[] };
      return Promise.all(messages.map(async ({ id }) => (await get(`/messages/${id}`)).json as Mail));
    },
    log: async () =>
      (await site.notes.world.log('smtp', 0))!.entries.map(({ kind, caller, request, trace }) => ({
        kind,
        caller: caller ?? null,
        request: request ?? {},
        traceId: trace?.traceId ?? null,
      })),
    talk: async () => {
      const peer = new Peer(connect(listener.at.port, listener.at.host));
      peer.resume();
      await peer.readUntil('\r\n', 'the greeting');
      return peer;
    },
    [Symbol.asyncDispose]: async () => {
      await listener[Symbol.asyncDispose]();
      await site[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}
