import t from 'tap';
import * as limits from '../../../control/world/limits.ts';
import * as story from '../../../control/world/story/limits.ts';

t.test('[8] the limits are the specification’s, each in the unit of its name', async t => {
  t.match(limits, {
    BROWSERS_MAX: 32,
    BROWSER_BODY_BYTES_MAX: 1_048_576,
    BROWSER_NAME_CHARS_MAX: 24,
    HOST_LABEL_CHARS_MAX: 63,
    REQUEST_BODY_BYTES_MAX: 4_194_304,
    CHECKPOINT_BYTES_MAX: 25_165_824,
    BUDGET_REQUESTS_PER_SECOND: 200,
    BUDGET_BURST_REQUESTS: 2000,
    SESSION_MS: 2_592_000_000,
    PASS_SESSION_MS: 43_200_000,
    BRANCH_TTL_SECONDS_MIN: 60,
    BRANCH_TTL_SECONDS_MAX: 2_592_000,
    ADOPTED_TOKEN_CHARS_MIN: 24,
    ADOPTED_TOKEN_CHARS_MAX: 256,
  });
});

t.test('every limit is a whole number above nothing', async t => {
  t.strictSame(
    Object.entries({ ...limits, ...story }).filter(
      ([, limit]) => typeof limit === 'number' && !(Number.isSafeInteger(limit) && limit > 0),
    ),
    [],
  );
});

t.test('every limit says its unit or what it counts', async t => {
  const unit =
    /_(BYTES|CHARS|DEPTH|FRAMES|ROWS|SECONDS|MINUTES|MS|ENTRIES|CHANGES|REQUESTS|EVENTS|LANES|LINES|HOURS|ROUTES|FOLLOWERS|ACTS|CONNECTIONS|TRIES|SENDS|CONFLICTS|RECORDS|VERSIONS|WORLDS|FIELDS|LEVELS|FAILURES|PER_[A-Z]+|TTL_SECONDS)(_MIN|_MAX|_DEFAULT|_SHOWN)?(_MAX)?$|^(BROWSERS|BRANCHES|KEYS|ISSUER_KEYS|SOCKETS|APPROVALS|LINKS|CHECKS|LEFT_COOKIES|SITE_PASSES|CREDENTIAL_HEADERS|RECORDS_PAGE)(_MAX|_DEFAULT)$/;
  t.strictSame(
    Object.keys({ ...limits, ...story }).filter(name => !unit.test(name)),
    [],
  );
});
