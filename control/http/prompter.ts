// Somebody beside the twins, as a test is: it hears each call to them with its answer, and may say what a call is answered.
import type { Call } from '../../twins/kit/call.ts';
import type { Features } from '../../twins/kit/generative.ts';
import type { HandlerReply } from '../../twins/kit/handlers.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import type { World } from '../world/world.ts';

export type Prompter = {
  /** Null, at once or in time, leaves the call to the handlers and the twin. A reply is one that a handlers file may give. */
  prompt(
    vendor: string,
    call: Call,
    features: () => Promise<Features | null>,
  ): Promise<HandlerReply | null> | null;
  answered(vendor: string, call: Call, reply: Reply, took: Took): void;
};

/** Functions that somebody wrote beside a handlers file; null leaves the call to the handlers and the twin. */
export type CallFunctions = (
  call: Call,
  features: () => Promise<Features | null>,
) => Promise<HandlerReply | null>;

/** A test is asked first, and hears every call; then the functions are. */
export function promptedBy(prompter: Prompter | undefined, functions: CallFunctions | null): Prompter | null {
  if (functions === null) return prompter ?? null;
  return {
    prompt: async (vendor, call, features) =>
      (await prompter?.prompt(vendor, call, features)) ?? functions(call, features),
    answered: (vendor, call, reply, took) => prompter?.answered(vendor, call, reply, took),
  };
}

export type Took = {
  readonly ms: number;
  /** The reply is what the prompter said. */
  readonly prompted: boolean;
};

export async function callPrompted(
  world: World,
  prompter: Prompter,
  vendor: string,
  call: Call,
): Promise<Reply> {
  const from = performance.now();
  const said = (await prompter.prompt(vendor, call, () => world.features(vendor, call))) ?? undefined;
  const reply = await world.call(vendor, said === undefined ? call : { ...call, said });
  prompter.answered(vendor, call, reply, {
    ms: performance.now() - from,
    prompted: said !== undefined,
  });
  return reply;
}
