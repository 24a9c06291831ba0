// Tells each story to the twin and to who stands in the vendor's place, a request at a time, and what their answers
// differ in.
import { setTimeout as wait } from 'node:timers/promises';
import { type Difference, openAlike } from './alike.ts';
import { type Answered, type Asked, askedOf, type Step, type Story } from './story.ts';
import type { Side } from './vendor-side.ts';

export type StepDiffers = {
  readonly step: string;
  readonly request: Asked;
  readonly fields: readonly Difference[];
};
export type StoryTold = {
  readonly story: string;
  readonly requests: number;
  readonly alike: number;
  readonly differs: readonly StepDiffers[];
};
export type Sides = { readonly twin: Side; readonly vendor: Side };

/** How often, and how far apart, what a vendor does in its own time is asked for: two minutes in all. */
const ASKED_AGAIN_MAX = 120;
const ASKED_AGAIN_MS = 1_000;

export async function tellStory(story: Story, sides: Sides): Promise<StoryTold> {
  const answers = { twin: new Map<string, Answered>(), vendor: new Map<string, Answered>() };
  const alike = openAlike();
  const differs: StepDiffers[] = [];
  let requests = 0;
  try {
    for (const step of story.steps) {
      requests += 1;
      const twin = askedOf(step, answers.twin);
      const vendor = askedOf(step, answers.vendor);
      const request = { method: step.method, path: step.path, pairs: [] };
      if ('lacks' in twin || 'lacks' in vendor) {
        const field = 'lacks' in twin ? twin.lacks : 'lacks' in vendor ? vendor.lacks : '';
        const has = (side: Asked | { readonly lacks: string }): string =>
          'lacks' in side ? 'has none' : 'has one';
        const lacking = { field, what: 'not-asked', twin: has(twin), vendor: has(vendor) } as const;
        differs.push({ step: step.name, request, fields: [lacking] });
        continue;
      }
      const [told, real] = [await asked(sides.twin, twin, step), await asked(sides.vendor, vendor, step)];
      answers.twin.set(step.name, told);
      answers.vendor.set(step.name, real);
      const fields = alike.compare(told, real);
      if (fields.length > 0) differs.push({ step: step.name, request: twin, fields });
    }
  } finally {
    for (const step of story.after ?? []) {
      for (const side of ['twin', 'vendor'] as const) {
        const last = askedOf(step, answers[side]);
        // What was never made need not be taken away; what cannot be is no matter of the story's.
        if (!('lacks' in last)) await sides[side](last).catch(() => undefined);
      }
    }
  }
  return { story: story.name, requests, alike: requests - differs.length, differs };
}

async function asked(side: Side, request: Asked, { until }: Step): Promise<Answered> {
  for (let times = 1; ; times += 1) {
    const answer = await side(request);
    const held = answer.body as { readonly [field: string]: unknown } | null;
    const there = Object.entries(until ?? {}).every(([field, text]) => held?.[field] === text);
    if (there || answer.status >= 400 || times === ASKED_AGAIN_MAX) return answer;
    await wait(ASKED_AGAIN_MS);
  }
}
