// All of it for Stripe: the twin in a world of this process, beside its vendor's test mode or a world in its place.
import { API_VERSION } from '../../twins/stripe/api/version.ts';
import { type StoryTold, tellStory } from './against.ts';
import type { Difference } from './alike.ts';
import { requestLine, type Story } from './story.ts';
import { openTwinSide } from './twin-side.ts';
import { stripePlace, vendorSide } from './vendor-side.ts';

export type AgainstReport = {
  readonly vendor: 'stripe';
  readonly at: string;
  readonly version: string;
  readonly requests: number;
  /** Of these requests, those whose answers differ in nothing. */
  readonly alike: number;
  readonly stories: readonly StoryTold[];
};

export type AgainstOptions = {
  readonly stories: readonly Story[];
  readonly at?: string | undefined;
  readonly env: { readonly [name: string]: string | undefined };
  /** A line for a person, as it is known. */
  readonly told: (line: string) => void;
};

/** Throws `Unasked` where the vendor cannot be asked. */
export async function againstStripe(
  options: AgainstOptions,
): Promise<
  { readonly ok: true; readonly report: AgainstReport } | { readonly ok: false; readonly message: string }
> {
  const { told } = options;
  const place = stripePlace(options.at, options.env);
  if (!place.ok) return place;
  const vendor = vendorSide(place, API_VERSION);
  const stories: StoryTold[] = [];
  // The vendor's clock is the wall's, and the twin's begins there.
  await using twin = await openTwinSide(API_VERSION, { at: new Date().toISOString(), wall: Date.now });
  for (const story of options.stories) {
    const done = await tellStory(story, { twin: twin.ask, vendor });
    stories.push(done);
    for (const line of linesOf(done)) told(line);
  }
  const sum = (of: 'requests' | 'alike'): number => stories.reduce((all, each) => all + each[of], 0);
  const report = { requests: sum('requests'), alike: sum('alike'), stories };
  told(`${report.alike} of ${report.requests} requests are answered alike in ${stories.length} stories.`);
  return { ok: true, report: { vendor: 'stripe', at: place.url, version: API_VERSION, ...report } };
}

function linesOf({ story, requests, alike, differs }: StoryTold): string[] {
  return [
    `${story}: ${alike} of ${requests}`,
    ...differs.flatMap(({ request, fields }) => [
      `  ${requestLine(request)}`,
      ...fields.map(field => `    ${wordsOf(field)}`),
    ]),
  ];
}

function wordsOf({ field, what, twin, vendor }: Difference): string {
  const shown = (value: unknown): string => (value === undefined ? 'nothing' : short(JSON.stringify(value)));
  const name = what === 'status' ? 'the status' : what === 'not-asked' ? `not asked: ${field}` : field;
  const more = what === 'length' ? ' (how many)' : what === 'reference' ? ' (another object)' : '';
  return `${name}${more}: the twin ${shown(twin)}, the vendor ${shown(vendor)}`;
}

/** Objects that one side lacks may be long. */
const SHOWN_CHARS_MAX = 200;
const short = (text: string): string =>
  text.length <= SHOWN_CHARS_MAX ? text : `${text.slice(0, SHOWN_CHARS_MAX)}…`;
