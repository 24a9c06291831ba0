// What the endpoints of real vendors take and answer (2.9, 2.13), as named JSON Schemas; part of shapes.ts.
import {
  COUNT,
  FLAG,
  INSTANT,
  list,
  map,
  object,
  oneOf,
  orNull,
  type Schema,
  TEXT,
  withText,
} from './schema.ts';

export const VENDOR_SHAPES = {
  Credential: withText(
    {
      anyOf: [
        object({ sealed: { const: false } }),
        object({
          sealed: { const: true },
          at: INSTANT,
          sealedBy: oneOf('vault', 'key'),
          boundTo: withText(TEXT, 'the origin that it opens for'),
        }),
      ],
    },
    'whether a credential is sealed; never the credential',
  ),
  CredentialWrite: withText(
    object(
      {},
      {
        credential: withText(TEXT, 'the vendor’s key or token, shown to it in the vendor’s own way'),
        headers: withText(map(TEXT), 'in its place: the headers that show it'),
        signingSecret: withText(TEXT, 'what the vendor signs its webhooks with; without it none comes in'),
      },
    ),
    'one of `credential` and `headers`',
  ),
  Rewrapped: object({
    rewrapped: withText(COUNT, 'wrapped again under the newest version'),
    current: withText(COUNT, 'under the newest version already: these need no older one'),
    left: withText(
      list(
        object({
          vendor: TEXT,
          why: oneOf('host-key', 'other-key', 'no-version', 'sealed-again', 'unreadable'),
        }),
      ),
      'sealed under a host’s key; by another vault’s key; wrapped by a version that cannot be read; sealed again meanwhile, and left as it was set; not to be read',
    ),
  }),
  RecordingStanding: object({
    twin: TEXT,
    to: withText(TEXT, 'the file that it is kept in'),
    at: withText(orNull(TEXT), 'the URL that is asked; null: the vendor’s own hosts'),
    strict: withText(FLAG, 'what is not recorded is refused when it is replayed'),
    since: INSTANT,
    kept: withText(COUNT, 'exchanges'),
    unkept: withText(COUNT, 'exchanges that are not kept'),
    why: withText(
      list(object({ method: TEXT, path: TEXT, message: TEXT })),
      'why the newest of those are not kept',
    ),
  }),
  Link: object({ name: TEXT, origin: withText(TEXT, 'https, a hostname') }),
} satisfies { readonly [name: string]: Schema };
