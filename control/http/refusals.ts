// GET …/refusals: what clients of the world's proxy were refused lately, newest first, and the grant that lets one of them
// pass the next time. Ours, beside section 4.
import { type NarrowestGrant, narrowestGrant } from '../../policy/narrowest-grant.ts';
import type { Reply } from '../../twins/kit/reply.ts';
import { grantedText } from '../world/config/granted-text.ts';
import { json, problem } from './answer.ts';
import type { Route, Visit } from './route.ts';
import { FLAG, list, object, oneOf, TEXT, withText } from './schema.ts';
import { failure, ref } from './shapes.ts';
import type { ConfigFile } from './surroundings.ts';

const GRANT = '/-/<org>/<world>/refusals/<nth>/grant';
const NTH = /^[1-9][0-9]{0,9}$/;
const NOT_THERE = failure('no such refusal is told any more, or the world has no file here');
const NOT_OFFERED = failure(
  'no one grant of this world’s lets it pass, it is listed already, or the file cannot be read',
);
const OFFER = object({
  file: TEXT,
  field: withText(TEXT, '`runtime.network.egress`'),
  grant: TEXT,
  kind: withText(oneOf('exact', 'subtree', 'origin'), 'the narrowest that a grant can say'),
  lines: withText(
    list(object({ is: oneOf('kept', 'removed', 'added'), text: TEXT })),
    'the file around the change; none where its file is not here',
  ),
  here: withText(FLAG, 'whoever asks may have it listed by a POST'),
});

export const refusals: readonly Route[] = [
  {
    method: 'GET',
    path: '/-/<org>/<world>/refusals',
    access: 'read',
    tag: 'Looking',
    summary:
      '`{ refusals: [{ nth, at, run, agent, record }] }`: the newest refusals of the world’s proxy since it started',
    answers: {
      200: { description: 'newest first', schema: object({ refusals: list(ref('SeenRefusal')) }) },
    },
    run: (_call, _world, { around }) => json(200, { refusals: around.refusals() }),
  },
  {
    method: 'GET',
    path: GRANT,
    access: 'write',
    tag: 'Looking',
    summary: 'the narrowest grant that lets pass what was refused, as a change of `.wrld/world.json`',
    answers: {
      200: { description: 'the grant, and what it changes', schema: OFFER },
      404: NOT_THERE,
      409: NOT_OFFERED,
    },
    run: async (_call, _world, visit) => {
      const offer = await offerOf(visit);
      return 'reply' in offer ? offer.reply : json(200, toldOf(offer, isHere(visit)));
    },
  },
  {
    method: 'POST',
    path: GRANT,
    access: 'page',
    tag: 'Looking',
    summary: 'lists that grant in `.wrld/world.json`; a person does so, at the page, on the machine itself',
    answers: {
      200: { description: 'it is in force', schema: OFFER },
      404: NOT_THERE,
      409: NOT_OFFERED,
    },
    run: async (_call, _world, visit) => {
      // A program in the world may hold its token and so open a session: what it asks comes through the world's proxy.
      if (!isHere(visit))
        return problem(
          403,
          'not-here',
          'A grant is given on the machine that the world runs on, and by no program in the world.',
        );
      const offer = await offerOf(visit);
      if ('reply' in offer) return offer.reply;
      const { change } = offer;
      if (change === null) return NO_FILE;
      const put = await change.config.put(change);
      if (put === 'in-force') return json(200, toldOf(offer, true));
      const why =
        put === 'changed-meanwhile'
          ? 'The file was saved meanwhile; look at the change again.'
          : 'It is written, and the world could not take it; wrld world status says why.';
      return problem(409, put, why);
    },
  },
];

type Offer = {
  readonly grant: NarrowestGrant;
  /** Null where the world has no file on this machine. */
  readonly change: {
    readonly config: ConfigFile;
    readonly was: string;
    readonly text: string;
    readonly lines: readonly unknown[];
  } | null;
};

const NO_FILE = problem(404, 'no-file', 'The world has no .wrld/world.json on this machine.');

const isHere = ({ arrived, head, around }: Visit): boolean =>
  around.config !== undefined && arrived.local === true && arrived.from === 'client' && !head.through;

const toldOf = ({ grant: { list, text, kind }, change }: Offer, here: boolean): object => ({
  file: '.wrld/world.json',
  field: `runtime.network.${list}`,
  grant: text,
  kind,
  lines: change?.lines ?? [],
  here,
});

async function offerOf({ params, around }: Visit): Promise<Offer | { readonly reply: Reply }> {
  const { nth = '' } = params;
  const seen = NTH.test(nth) ? around.refusals().find(each => each.nth === Number(nth)) : undefined;
  const { config } = around;
  if (seen === undefined)
    return { reply: problem(404, 'no-such-refusal', `Refusal ${nth} is not told here.`) };
  const grant = narrowestGrant(seen.record);
  if (grant === null) {
    const why = `No grant of this world’s own lets it pass: ${seen.record.reason} See ${seen.record.see}`;
    return { reply: problem(409, 'no-grant', why) };
  }
  if (config === undefined) return { grant, change: null };
  const was = await config.text();
  const made = grantedText(was, grant);
  if (made.ok) return { grant, change: { config, was, text: made.text, lines: made.lines } };
  const why =
    made.why === 'listed'
      ? `${grant.text} is listed in runtime.network.${grant.list} already; what asks for it again passes.`
      : '.wrld/world.json cannot be read as it stands; wrld world status says where.';
  return { reply: problem(409, made.why, why) };
}
