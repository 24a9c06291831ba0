import t from 'tap';
import { parseProfile } from '../../../../control/world/browsers/profile.ts';

const COOKIE = {
  name: 'sid',
  value: 'a b',
  domain: '.stripe.com',
  path: '/',
  expires: -1,
  httpOnly: true,
  secure: true,
  sameSite: 'Lax',
};
const EMPTY = { storageState: { cookies: [], origins: [] }, context: {} };

const cookies = (...changed: readonly object[]) => ({
  storageState: { cookies: changed.map(each => ({ ...COOKIE, ...each })), origins: [] },
});
const origins = (...each: readonly object[]) => ({ storageState: { cookies: [], origins: each } });
const context = (it: object) => ({ ...EMPTY, context: it });

t.test('[2.5] what is a profile is answered as it came', t => {
  const whole = {
    storageState: {
      cookies: [
        {
          ...COOKIE,
          expires: 1_900_000_000.5,
          partitionKey: 'https://a.test',
          _crHasCrossSiteAncestor: true,
        },
      ],
      origins: [
        {
          origin: 'https://dashboard.stripe.com',
          localStorage: [{ name: 'theme', value: 'dark' }],
          indexedDB: [
            {
              name: 'db',
              version: 2,
              stores: [
                {
                  name: 's',
                  autoIncrement: false,
                  keyPathArray: ['a', 'b'],
                  records: [{ key: 1, valueEncoded: { o: [['x', 1]] } }, {}],
                  indexes: [{ name: 'i', keyPath: 'x', multiEntry: false, unique: true }],
                },
              ],
            },
          ],
        },
        { origin: 'http://localhost:3000', localStorage: [] },
      ],
    },
    context: {
      permissions: ['geolocation'],
      geolocation: { latitude: -90, longitude: 180, accuracy: 0 },
      locale: 'de-CH',
      timezoneId: 'Europe/Zurich',
      userAgent: 'Mozilla/5.0 (X11)',
      viewport: { width: 1280, height: 720 },
      deviceScaleFactor: 2,
      isMobile: true,
      hasTouch: false,
      colorScheme: 'no-preference',
      reducedMotion: null,
      extraHTTPHeaders: { 'Accept-Language': 'de' },
      offline: false,
    },
  };
  t.same(parseProfile(whole), { ok: true, profile: whole });
  t.same(parseProfile(EMPTY), { ok: true, profile: EMPTY }, 'an empty starting browser');
  t.match(parseProfile(context({ viewport: null, isMobile: false, colorScheme: null })), { ok: true });
  t.end();
});

t.test('[2.5] rules 5 and 6: no context reads as {}, and a legacy profile is a storage state', t => {
  t.same(parseProfile({ storageState: EMPTY.storageState }), { ok: true, profile: EMPTY });
  t.same(parseProfile({ cookies: [], origins: [] }), { ok: true, profile: EMPTY });
  t.match(parseProfile({ cookies: [COOKIE] }), { ok: false }, 'a legacy profile is judged as any');
  t.end();
});

t.test('[2.5] what is none is refused, and each fault says where it is', t => {
  const refused: readonly (readonly [value: unknown, says: RegExp])[] = [
    [null, /^the profile: must be object/],
    [[], /^the profile: must be object/],
    [{}, /^the profile: must have required property 'storageState'/],
    // Rule 1.
    [{ ...EMPTY, proxy: {} }, /^the profile: unknown key "proxy"; accepted: storageState, context$/],
    [context({ baseURL: 'x' }), /^\/context: unknown key "baseURL"/],
    [context({ httpCredentials: {} }), /unknown key "httpCredentials"/],
    [context({ recordVideo: {} }), /unknown key "recordVideo"/],
    [context({ permisions: [] }), /unknown key "permisions"; did you mean permissions\?/],
    [
      { storageState: { ...EMPTY.storageState, sessionStorage: [] } },
      /^\/storageState: unknown key "sessionStorage"/,
    ],
    [cookies({ priority: 'High' }), /^\/storageState\/cookies\/0: unknown key "priority"/],
    // Rule 2.
    [
      context({ geolocation: { latitude: 90.1, longitude: 0 } }),
      /^\/context\/geolocation\/latitude: must be <= 90/,
    ],
    [context({ geolocation: { latitude: 0, longitude: -181 } }), /longitude: must be >= -180/],
    [context({ geolocation: { latitude: 0, longitude: 0, accuracy: -1 } }), /accuracy: must be >= 0/],
    [context({ deviceScaleFactor: Number.POSITIVE_INFINITY }), /deviceScaleFactor/],
    // Rule 3.
    [context({ viewport: { width: 1.5, height: 1 } }), /^\/context\/viewport\/width: must be integer/],
    [
      context({ viewport: null, deviceScaleFactor: 2 }),
      /^\/context\/deviceScaleFactor: not beside a viewport/,
    ],
    [context({ viewport: null, isMobile: true }), /^\/context\/isMobile: not true beside a viewport/],
    // Rule 4.
    [
      context({ extraHTTPHeaders: { 'x y': 'a' } }),
      /^\/context\/extraHTTPHeaders: "x y" is no header’s name/,
    ],
    [context({ extraHTTPHeaders: { x: 'a\r\nb: c' } }), /^\/context\/extraHTTPHeaders\/x: holds a character/],
    [context({ extraHTTPHeaders: { x: 1 } }), /^\/context\/extraHTTPHeaders\/x: must be string/],
    [context({ locale: 'de\n' }), /^\/context\/locale: holds a character/],
    [context({ userAgent: '\u0100' }), /^\/context\/userAgent: holds a character/],
    [
      context({ colorScheme: 'sepia' }),
      /^\/context\/colorScheme: accepted: "light", "dark", "no-preference", null$/,
    ],
    // Rule 7.
    [cookies({}, {}), /^\/storageState\/cookies\/1\/name: "sid" is there twice$/],
    [
      origins({ origin: 'https://a.test', localStorage: [] }, { origin: 'https://a.test', localStorage: [] }),
      /^\/storageState\/origins\/1\/origin: "https:\/\/a\.test" is there twice$/,
    ],
    [
      origins({
        origin: 'https://a.test',
        localStorage: [
          { name: 'x', value: '1' },
          { name: 'x', value: '2' },
        ],
      }),
      /^\/storageState\/origins\/0\/localStorage\/1\/name: "x" is there twice$/,
    ],
    // The table of cookies.
    ...['a;b', 'a\u0000', 'a\u007f', 'a\u0100', 'a\r\n'].map(
      value => [cookies({ value }), /^\/storageState\/cookies\/0\/value: holds a character/] as const,
    ),
    [cookies({ path: '/\u0100' }), /cookies\/0\/path: holds a character/],
    [cookies({ domain: '' }), /cookies\/0\/domain: holds a character that cannot stand there, or is empty/],
    [cookies({ expires: -2 }), /cookies\/0\/expires: must be >= -1/],
    [cookies({ expires: -0.5 }), /cookies\/0\/expires: Unix seconds, or -1/],
    [cookies({ sameSite: 'lax' }), /sameSite: accepted: "Strict", "Lax", "None"/],
    [cookies({ secure: undefined }), /must (be boolean|have required property 'secure')/],
    // The table of origins.
    ...[
      'https://a.test/',
      'https://A.test',
      'https://a.test:443',
      'ftp://a.test',
      'a.test',
      'https://u@a.test',
    ].map(
      origin =>
        [
          origins({ origin, localStorage: [] }),
          /origins\/0\/origin: a canonical http or https origin/,
        ] as const,
    ),
    [origins({ origin: 'https://a.test' }), /must have required property 'localStorage'/],
    [
      origins({
        origin: 'https://a.test',
        localStorage: [],
        indexedDB: [{ name: 'x', version: '1', stores: [] }],
      }),
      /indexedDB\/0\/version: must be number/,
    ],
  ];
  for (const [value, says] of refused) {
    const result = parseProfile(value);
    const shown = JSON.stringify(value);
    t.notOk(result.ok, shown);
    if (!result.ok) t.match(result.faults[0], says, shown);
  }
  const many = parseProfile(cookies(...Array.from({ length: 100 }, () => ({ value: ';' }))));
  t.ok(!many.ok && many.faults.length <= 8, 'of very many faults, the first are named');
  t.end();
});
