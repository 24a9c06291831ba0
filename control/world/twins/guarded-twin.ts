// A twin that somebody else wrote, at work: whatever it answers or throws, the world goes on. A call that it cannot answer is
// undone and told with a 500 in the vendor's shape; what is wrong is said in the log, by the name of the twin.
import type { Reply } from '../../../twins/kit/reply.ts';
import type { TwinSocket } from '../../../twins/kit/socket.ts';
import type { RecordType, Twin, Wording } from '../../../twins/kit/twin.ts';
import type { Log } from '../../ports/log.ts';
import { replyFault } from './twin-shape.ts';

/** Runs what a twin does, and ends it when that takes too long: it then throws. */
export type CallBound = <T>(work: () => T) => T;

export type Guard = {
  /** The twin's name in this world. */
  readonly vendor: string;
  readonly log: Log;
  readonly bound: CallBound;
};

export function guardedTwin(twin: Twin, { vendor, log, bound }: Guard): Twin {
  const { respond, error, due, signature, retryAfter, upgrade, resume, generative, covers } = twin;
  const wholeReply = (reply: Reply, where: string): Reply => {
    const fault = replyFault(reply);
    if (fault === null) return reply;
    // A promise that nobody waits for ends the process when it rejects.
    void Promise.resolve(reply).catch(() => {});
    log.error({ twin: vendor, fault: `${where}: ${fault}` }, 'a twin answered no reply');
    throw new TypeError(fault);
  };
  return {
    ...twin,
    records: Object.fromEntries(
      Object.entries(twin.records).map(([type, held]) => [
        type,
        { ...held, ...boundWording(held, bound), ...boundRetrieve(held, bound) },
      ]),
    ),
    respond: (call, tx, features) =>
      wholeReply(
        bound(() => respond(call, tx, features)),
        `${call.method} ${call.path}`,
      ),
    ...(due && { due: (event, tx, handling) => bound(() => due(event, tx, handling)) }),
    ...(signature && { signature: (request, state) => bound(() => signature(request, state)) }),
    error: (status, code, message, type) => {
      try {
        return wholeReply(
          bound(() => error(status, code, message, type)),
          'its own error',
        );
      } catch {
        const body = JSON.stringify({ error: { code, message } });
        return { status, headers: [['Content-Type', 'application/json']], body };
      }
    },
    ...(retryAfter && {
      retryAfter: attempts => {
        const wait = bound(() => retryAfter(attempts));
        return Number.isSafeInteger(wait) && Number(wait) >= 0 ? wait : null;
      },
    }),
    ...(covers && { covers: operation => bound(() => covers(operation)) }),
    ...(upgrade && {
      upgrade: (call, tx, handling) => {
        const answer = bound(() => upgrade(call, tx, handling));
        return 'status' in answer
          ? wholeReply(answer, `the upgrade at ${call.path}`)
          : boundSocket(answer, bound);
      },
    }),
    ...(resume && {
      resume: (call, kept, state, handling) =>
        boundSocket(
          bound(() => resume(call, kept, state, handling)),
          bound,
        ),
    }),
    ...(generative && {
      generative: {
        ...generative,
        reply: (call, tx, spoken, features) =>
          wholeReply(
            bound(() => generative.reply(call, tx, spoken, features)),
            `${call.method} ${call.path}`,
          ),
      },
    }),
  };
}

/** A twin that takes too long over its words throws, and whoever asked goes by the id. */
function boundWording({ title, summary, columns }: Wording, bound: CallBound): Wording {
  return {
    ...(title && { title: (body, look) => bound(() => title(body, look)) }),
    ...(summary && { summary: (body, look) => bound(() => summary(body, look)) }),
    ...(columns && {
      columns: Object.fromEntries(
        Object.entries(columns).map(([heading, of]) => [
          heading,
          (body, look) => bound(() => of(body, look)),
        ]),
      ),
    }),
  };
}

function boundRetrieve({ retrieve }: RecordType, bound: CallBound): Pick<RecordType, 'retrieve'> {
  const { headers } = retrieve ?? {};
  if (retrieve === undefined || headers === undefined) return {};
  return { retrieve: { ...retrieve, headers: body => bound(() => headers(body)) } };
}

function boundSocket(socket: TwinSocket, bound: CallBound): TwinSocket {
  return {
    protocol: socket.protocol,
    open: tx => bound(() => socket.open(tx)),
    message: (data, tx) => bound(() => socket.message(data, tx)),
    closed: tx => bound(() => socket.closed?.(tx)),
    ...(socket.kept && { kept: () => bound(() => socket.kept!()) }),
  };
}
