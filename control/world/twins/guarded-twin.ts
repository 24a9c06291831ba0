// A twin that somebody else wrote, at work: whatever it answers or throws, the world goes on. A call that it cannot answer is
// undone and told with a 500 in the vendor's shape; what is wrong is said in the log, by the name of the twin.
import type { Reply } from '../../../twins/kit/reply.ts';
import type { Twin } from '../../../twins/kit/twin.ts';
import type { Log } from '../../ports/log.ts';
import { replyFault } from './twin-shape.ts';

/** `vendor`: its name in this world. */
export function guardedTwin(twin: Twin, vendor: string, log: Log): Twin {
  const { respond, error, retryAfter, upgrade, generative } = twin;
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
    respond: (call, tx, features) => wholeReply(respond(call, tx, features), `${call.method} ${call.path}`),
    error: (status, code, message, type) => {
      try {
        return wholeReply(error(status, code, message, type), 'its own error');
      } catch {
        const body = JSON.stringify({ error: { code, message } });
        return { status, headers: [['Content-Type', 'application/json']], body };
      }
    },
    ...(retryAfter && {
      retryAfter: attempts => {
        const wait = retryAfter(attempts);
        return Number.isSafeInteger(wait) && Number(wait) >= 0 ? wait : null;
      },
    }),
    ...(upgrade && {
      upgrade: (call, tx, handling) => {
        const answer = upgrade(call, tx, handling);
        return 'status' in answer ? wholeReply(answer, `the upgrade at ${call.path}`) : answer;
      },
    }),
    ...(generative && {
      generative: {
        ...generative,
        reply: (call, tx, spoken, features) =>
          wholeReply(generative.reply(call, tx, spoken, features), `${call.method} ${call.path}`),
      },
    }),
  };
}
