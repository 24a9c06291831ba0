// What the core relies on when a module of a world's users is kept and called again (control/ports/sandbox.ts; 4.7).
import type { Sandbox, SandboxAsk, SandboxModule } from '../../control/ports/sandbox.ts';
import type { Case } from './suite.ts';

export type SandboxHost = { readonly sandbox: Sandbox };

export const SANDBOX_LIMITS = {
  callMs: 1_000,
  memoryBytes: 64 * 1024 * 1024,
  printedChars: 100,
  saidChars: 65_536,
};
/** Calls the export `f` with the text and the two functions. */
export const SANDBOX_DRIVER = '(() => (exported, ask, print) => text => exported.f(text, ask, print))()';

export const openModule = async (
  { sandbox }: SandboxHost,
  source: string,
  more: Partial<SandboxAsk> = {},
): Promise<SandboxModule> => {
  const result = await sandbox.open({
    source,
    driver: SANDBOX_DRIVER,
    limits: SANDBOX_LIMITS,
    ask: async question => `answer to ${question}`,
    ...more,
  });
  if (!result.ok) throw new Error(result.message);
  return result.module;
};

const texts = (...said: readonly string[]) => said.map(text => ({ ok: true, text }));

export const SANDBOX_CONTRACT: readonly Case<SandboxHost>[] = [
  {
    name: 'it is kept between calls, asks its host, and what it prints is kept as far as there is room',
    run: async (host, is) => {
      await using module = await openModule(
        host,
        "let n = 0; export const f = (text, ask, print) => { print('call ' + ++n); return ask(text) + n; };",
      );
      is.same(await module.run(['a', 'b']), texts('answer to a1', 'answer to b2'));
      is.equal(module.printed, 'call 1\ncall 2\n');
      await module.run(Array.from({ length: 50 }, () => ''));
      is.equal(module.printed.length, SANDBOX_LIMITS.printedChars);
    },
  },
  {
    name: 'what it asks midway changes nothing of what it did before, however much it asks and grows',
    run: async (host, is) => {
      const asked: string[] = [];
      await using module = await openModule(
        host,
        `const all = []; const large = [];
         export const f = (text, ask) => {
           all.push(text);
           if (text === 'plain') return all.join();
           for (const one of ['x', 'y', 'x']) all.push(ask(text + one));
           large.push('z'.repeat(3_000_000) + all.length);
           return all.join() + large.length;
         };`,
        {
          ask: async question => {
            asked.push(question);
            return question.toUpperCase();
          },
        },
      );
      is.same(
        await module.run(['plain', 'a', 'plain', 'b']),
        texts('plain', 'plain,a,AX,AY,AX1', 'plain,a,AX,AY,AX,plain', 'plain,a,AX,AY,AX,plain,b,BX,BY,BX2'),
      );
      is.same(await module.run(['c']), texts('plain,a,AX,AY,AX,plain,b,BX,BY,BX,c,CX,CY,CX3'));
      is.same([...new Set(asked)], ['ax', 'ay', 'bx', 'by', 'cx', 'cy']);
    },
  },
  {
    name: 'what its host cannot answer is thrown inside, and can be caught there; an answer may be waited for',
    run: async (host, is) => {
      const ask = async (question: string): Promise<string> => {
        if (question === 'y') return 'why';
        throw new Error('no more');
      };
      await using module = await openModule(
        host,
        `export const f = async (text, ask) => {
           await null;
           try { return ask(text); } catch (error) { return 'caught ' + error.message; } finally { await null; }
         };`,
        { ask },
      );
      is.same(await module.run(['x', 'y']), texts('caught no more', 'why'));
    },
  },
  {
    name: 'one that never ends, before or after it asked, ends there',
    run: async (host, is) => {
      for (const body of ['for (;;);', 'ask(text); for (;;);']) {
        await using module = await openModule(host, `export const f = (text, ask) => { ${body} };`, {
          limits: { ...SANDBOX_LIMITS, callMs: 200 },
        });
        const runs = await module.run(['a', 'b']);
        is.same(
          runs.map(run => (run.ok ? 'ran' : run.why)),
          ['time'],
          body,
        );
        is.same(
          (await module.run(['c'])).map(run => run.ok),
          [false],
          'and stays ended',
        );
      }
    },
  },
];
