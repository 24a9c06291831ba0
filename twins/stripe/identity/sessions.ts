// Identity verification sessions, and the page where a person goes through one.

import { html } from '../../kit/html.ts';
import { type Act, need, save } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { createdParams, page } from '../api/list.ts';
import { operation } from '../api/operation.ts';
import { choice, mergeMetadata, metadata, text, tree } from '../api/params.ts';
import { notice, type Screen, screenReply, sendTo } from '../api/screen.ts';
import { viewOf } from '../api/view.ts';
import { tell, update } from '../events/events.ts';
import type { VerificationReport, VerificationSession } from './records.ts';

const writable = {
  metadata: metadata(),
  options: tree(),
  provided_details: tree(),
  type: choice('document', 'id_number'),
} as const;

const create = operation(
  'identity.verificationSessions.create',
  'POST /v1/identity/verification_sessions',
  {
    ...writable,
    client_reference_id: text(),
    related_customer: text(),
    return_url: text(),
    verification_flow: text(),
  },
  ({ act, params }) => {
    if (params.type === undefined && params.verification_flow === undefined) {
      throw invalid('Missing required param: type.', { code: 'parameter_missing', param: 'type' });
    }
    const id = act.tx.id('vs_', 24);
    const session: VerificationSession = {
      id,
      object: 'identity.verification_session',
      client_reference_id: params.client_reference_id ?? null,
      client_secret: `${id}_secret_test_${act.tx.id('', 24)}`,
      created: act.at,
      last_error: null,
      last_verification_report: null,
      livemode: false,
      metadata: mergeMetadata({}, params.metadata),
      options: params.options ?? { document: {} },
      provided_details: params.provided_details ?? null,
      redaction: null,
      related_customer: params.related_customer ?? null,
      related_customer_account: null,
      status: 'requires_input',
      type: params.type ?? 'verification_flow',
      url: `https://verify.stripe.com/start/test_${id}`,
      ...(params.verification_flow === undefined ? {} : { verification_flow: params.verification_flow }),
      verified_outputs: null,
      ...(params.return_url === undefined ? {} : { $return_url: params.return_url }),
    };
    save(act, 'identity.verification_session', session);
    tell(act, 'identity.verification_session.created', 'identity.verification_session', session);
    return viewOf(act, 'identity.verification_session', session);
  },
  ['related_customer_account', 'related_person'],
);

const needSession = (act: Act, path: { readonly [name: string]: string }): VerificationSession =>
  need(act, 'identity.verification_session', path['session'] ?? '', { param: 'session', inPath: true });

const retrieve = operation(
  'identity.verificationSessions.retrieve',
  'GET /v1/identity/verification_sessions/{session}',
  {},
  ({ act, path }) => viewOf(act, 'identity.verification_session', needSession(act, path)),
);

const change = operation(
  'identity.verificationSessions.update',
  'POST /v1/identity/verification_sessions/{session}',
  writable,
  ({ act, path, params }) => {
    const held = needSession(act, path);
    const next: VerificationSession = {
      ...held,
      ...(params.options === undefined ? {} : { options: params.options }),
      ...(params.provided_details === undefined ? {} : { provided_details: params.provided_details }),
      ...(params.type === undefined ? {} : { type: params.type }),
      metadata: mergeMetadata(held.metadata, params.metadata),
    };
    save(act, 'identity.verification_session', next); // Stripe has no event for it.
    return viewOf(act, 'identity.verification_session', next);
  },
);

const cancel = operation(
  'identity.verificationSessions.cancel',
  'POST /v1/identity/verification_sessions/{session}/cancel',
  {},
  ({ act, path }) => {
    const held = needSession(act, path);
    if (held.status !== 'requires_input') {
      throw invalid(`You cannot cancel this VerificationSession because it has a status of ${held.status}.`);
    }
    return end(act, held, { ...held, status: 'canceled', url: null }, 'canceled');
  },
);

const redact = operation(
  'identity.verificationSessions.redact',
  'POST /v1/identity/verification_sessions/{session}/redact',
  {},
  ({ act, path }) => {
    const held = needSession(act, path);
    if (held.status === 'processing' || held.redaction !== null) {
      throw invalid('You cannot redact this VerificationSession now.', {});
    }
    const next: VerificationSession = {
      ...held,
      metadata: {},
      redaction: { status: 'redacted' },
      status: held.status === 'requires_input' ? 'canceled' : held.status,
      url: null,
    };
    return end(act, held, next, 'redacted');
  },
);

function end(act: Act, held: VerificationSession, next: VerificationSession, what: string) {
  return viewOf(
    act,
    'identity.verification_session',
    update(act, 'identity.verification_session', held, next, `identity.verification_session.${what}`),
  );
}

const listAll = operation(
  'identity.verificationSessions.list',
  'GET /v1/identity/verification_sessions',
  {
    ...createdParams,
    client_reference_id: text(),
    related_customer: text(),
    status: choice('canceled', 'processing', 'requires_input', 'verified'),
  },
  ({ act, params }) => {
    const { client_reference_id, related_customer, status } = params;
    const where =
      client_reference_id !== undefined
        ? { client_reference_id }
        : related_customer !== undefined
          ? { related_customer }
          : status !== undefined
            ? { status }
            : undefined;
    return page(act, 'identity.verification_session', params, '/v1/identity/verification_sessions', {
      ...(where === undefined ? {} : { where }),
      ...(status === undefined ? {} : { keep: held => held.status === status }),
    });
  },
);

const report = operation(
  'identity.verificationReports.retrieve',
  'GET /v1/identity/verification_reports/{report}',
  {},
  ({ act, path }) =>
    viewOf(
      act,
      'identity.verification_report',
      need(act, 'identity.verification_report', path['report'] ?? '', { param: 'report', inPath: true }),
    ),
);

const reports = operation(
  'identity.verificationReports.list',
  'GET /v1/identity/verification_reports',
  { ...createdParams, client_reference_id: text(), type: text(), verification_session: text() },
  ({ act, params }) => {
    const { client_reference_id, type, verification_session } = params;
    const where =
      verification_session !== undefined
        ? { verification_session }
        : client_reference_id !== undefined
          ? { client_reference_id }
          : type !== undefined
            ? { type }
            : undefined;
    return page(act, 'identity.verification_report', params, '/v1/identity/verification_reports', {
      ...(where === undefined ? {} : { where }),
      ...(type === undefined ? {} : { keep: held => held.type === type }),
    });
  },
);

/** The person has shown a document: it is processed, and verified or refused. */
function verify(act: Act, held: VerificationSession, passes: boolean): void {
  const made: VerificationReport = {
    id: act.tx.id('vr_', 24),
    object: 'identity.verification_report',
    client_reference_id: held.client_reference_id,
    created: act.at,
    document: {
      address: null,
      error: passes ? null : { code: 'document_unverified_other', reason: 'The document is invalid.' },
      expiration_date: null,
      files: null,
      first_name: passes ? 'Jenny' : null,
      issued_date: null,
      issuing_country: passes ? 'US' : null,
      last_name: passes ? 'Rosen' : null,
      status: passes ? 'verified' : 'unverified',
      type: passes ? 'id_card' : null,
    },
    livemode: false,
    options: held.options ?? {},
    type: held.type,
    verification_session: held.id,
  };
  save(act, 'identity.verification_report', made);
  const processing: VerificationSession = {
    ...held,
    last_verification_report: made.id,
    status: 'processing',
  };
  act.tx.kind(`identity.verification_session.${passes ? 'verified' : 'requires_input'}`);
  end(act, held, processing, 'processing');
  const next: VerificationSession = {
    ...processing,
    last_error: passes ? null : { code: 'document_unverified_other', reason: 'The document is invalid.' },
    status: passes ? 'verified' : 'requires_input',
    url: passes ? null : processing.url,
  };
  end(act, processing, next, passes ? 'verified' : 'requires_input');
}

export const identityScreen: Screen = {
  id: 'identity',
  host: 'verify.stripe.com',
  path: '/start/{session}',
  run({ act, method, path, form }) {
    const held = need(act, 'identity.verification_session', (path['session'] ?? '').replace(/^test_/, ''), {
      param: 'session',
      inPath: true,
    });
    if (held.status !== 'requires_input')
      return notice(200, 'Verification', 'There is nothing left to do here.');
    if (method === 'POST') {
      verify(act, held, form.get('outcome') !== 'fail');
      return sendTo(held.$return_url ?? '');
    }
    return screenReply(
      'Verify your identity',
      html`<p>Choose how the check of a document comes out.</p><form method="post">
<button name="outcome" value="verify">The document is valid</button>
<button class="quiet" name="outcome" value="fail">The document is refused</button></form>`,
    );
  },
};

export const identityOperations = [create, retrieve, change, cancel, redact, listAll, report, reports];
