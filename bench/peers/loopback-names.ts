// Imported first by peers that look names up themselves: every name of the bench is this machine. Our own
// proxy needs no such help, its policy pins names (`runtime.extraHosts`).
import dns, { type LookupAddress } from 'node:dns';

type Answered = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

dns.lookup = ((_name: string, options: { all?: boolean } | Answered, answered?: Answered) => {
  const done = typeof options === 'function' ? options : answered!;
  const all = typeof options === 'object' && options.all === true;
  process.nextTick(() =>
    all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4),
  );
}) as typeof dns.lookup;
