// A sandbox as an isolate, so that the isolate's suite holds it too: a driver that calls one export and says what it
// returned.
import type { Isolate } from '../../control/ports/isolate.ts';
import type { Sandbox } from '../../control/ports/sandbox.ts';

const driver = (name: string): string => `(() => {
  const { parse, stringify } = JSON;
  return exported => {
    const call = exported[${JSON.stringify(name)}];
    if (typeof call !== 'function') throw new TypeError('it exports no such function');
    const said = value => stringify(value === undefined ? null : value) ?? 'null';
    return given => {
      const value = call(...parse(given));
      return value instanceof Promise ? value.then(said) : said(value);
    };
  };
})()`;

export const asIsolate = (sandbox: Sandbox): Isolate => ({
  call: async (source, name, args, { ms, memoryBytes }) => {
    const limits = { callMs: ms, memoryBytes, printedChars: 0 };
    const opened = await sandbox.open({ source, driver: driver(name), limits, ask: async () => '' });
    if (!opened.ok) return opened;
    await using module = opened.module;
    const [run] = await module.run([JSON.stringify(args)]);
    return run!.ok ? { ok: true, value: JSON.parse(run!.text) } : run!;
  },
});
