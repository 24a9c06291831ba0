// A sandbox as what runs one function: a driver that calls one export and says what it returned.
import type { Sandbox, SandboxFailure } from '../../control/ports/sandbox.ts';

export type IsolateLimits = { readonly ms: number; readonly memoryBytes: number };

export type Isolate = {
  /** Calls the export of that name with arguments that are copied in as JSON. Never rejects. */
  call(
    source: string,
    name: string,
    args: readonly unknown[],
    limits: IsolateLimits,
  ): Promise<{ readonly ok: true; readonly value: unknown } | SandboxFailure>;
};

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
    const limits = { callMs: ms, memoryBytes, printedChars: 0, saidChars: 65_536 };
    const opened = await sandbox.open({ source, driver: driver(name), limits, ask: async () => '' });
    if (!opened.ok) return opened;
    await using module = opened.module;
    const [run] = await module.run([JSON.stringify(args)]);
    return run!.ok ? { ok: true, value: JSON.parse(run!.text) } : run!;
  },
});
