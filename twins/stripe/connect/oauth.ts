// OAuth: an account that exists agrees to be connected on the vendor's page, and its platform trades the code for
// keys that act for it.

import { html } from '../../kit/html.ts';
import { type Act, find, save } from '../api/act.ts';
import { StripeRefusal } from '../api/errors.ts';
import { type Operation, operation } from '../api/operation.ts';
import { boolean, text } from '../api/params.ts';
import { notice, type Screen, screenReply, sendTo } from '../api/screen.ts';
import { tellView } from '../events/events.ts';
import { newAccount } from './accounts.ts';

/** How long a code can be traded. */
const CODE_SECONDS = 5 * 60;

/** OAuth has error shapes of its own. */
function refusal(
  oauth: 'invalid_client' | 'invalid_grant' | 'invalid_request',
  message: string,
): StripeRefusal {
  return new StripeRefusal(400, message, { oauth });
}

function keysFor(act: Act, account: string, scope: string) {
  return {
    access_token: `sk_test_${account}_${act.tx.id('', 24)}`,
    livemode: false,
    refresh_token: `rt_${account}_${act.tx.id('', 24)}`,
    token_type: 'bearer',
    stripe_publishable_key: `pk_test_${account}_${act.tx.id('', 24)}`,
    stripe_user_id: account,
    scope,
  };
}

const token: Operation = operation(
  'oauth.token',
  'POST /oauth/token',
  {
    assert_capabilities: text(),
    client_secret: text(),
    code: text(),
    grant_type: text(),
    refresh_token: text(),
    scope: text(),
    suppress_warnings: boolean(),
  },
  ({ act, params }) => {
    if (params.grant_type === 'refresh_token') {
      const account = /^rt_(acct_[A-Za-z0-9]{16})_/.exec(params.refresh_token ?? '')?.[1] ?? '';
      if (find(act, 'account', account) === undefined) {
        throw refusal('invalid_grant', `Refresh token does not exist: ${params.refresh_token ?? ''}`);
      }
      return keysFor(act, account, params.scope ?? 'read_write');
    }
    if (params.grant_type !== 'authorization_code') {
      throw refusal('invalid_request', 'Missing or unknown grant_type.');
    }
    const held = find(act, 'oauth_code', params.code ?? '');
    if (held === undefined) {
      throw refusal('invalid_grant', `Authorization code does not exist: ${params.code ?? ''}`);
    }
    if (held.used || held.expires_at <= act.at) {
      throw refusal('invalid_grant', `Authorization code has already been used or has expired: ${held.id}`);
    }
    act.tx.kind('account.application.authorized');
    save(act, 'oauth_code', { ...held, used: true });
    tellView(act, 'account.application.authorized', APPLICATION);
    return keysFor(act, held.account, held.scope);
  },
);

const APPLICATION = { id: 'ca_twin', object: 'application', name: 'Twin' };

const deauthorize: Operation = operation(
  'oauth.deauthorize',
  'POST /oauth/deauthorize',
  { client_id: text(), stripe_user_id: text() },
  ({ act, params }) => {
    const account = find(act, 'account', params.stripe_user_id ?? '');
    if (account === undefined) {
      throw refusal(
        'invalid_client',
        `This application is not connected to stripe account ${params.stripe_user_id ?? ''}, or that account does not exist.`,
      );
    }
    tellView(act, 'account.application.deauthorized', APPLICATION);
    return { stripe_user_id: account.id };
  },
);

function page(id: string, path: string): Screen {
  return {
    id,
    host: 'connect.stripe.com',
    path,
    query: 'client_id={client_id}',
    run({ act, method, query, form }) {
      const client = query.get('client_id') ?? '';
      if (!client.startsWith('ca_')) return notice(400, 'Connect', `No application matches ${client}.`);
      const back = query.get('redirect_uri') ?? '';
      if (method === 'GET') {
        return screenReply(
          'Connect',
          html`<p>A platform asks to take payments for you.</p><form method="post">
<button name="do" value="connect">Connect my account</button>
<button class="quiet" name="do" value="deny">No</button></form>`,
        );
      }
      if (!URL.canParse(back)) return notice(400, 'Connect', 'The redirect_uri is no address.');
      const url = new URL(back);
      const state = query.get('state');
      if (state !== null) url.searchParams.set('state', state);
      if (form.get('do') === 'deny') {
        url.searchParams.set('error', 'access_denied');
        url.searchParams.set('error_description', 'The user denied your request');
        return sendTo(url.href);
      }
      const type = id === 'oauth-express' ? 'express' : 'standard';
      const account = newAccount(act, { type }, { $onboarded: true });
      const scope = query.get('scope') ?? 'read_write';
      const code = act.tx.id('ac_', 24);
      save(act, 'oauth_code', {
        id: code,
        account: account.id,
        expires_at: act.at + CODE_SECONDS,
        scope,
        used: false,
      });
      url.searchParams.set('scope', scope);
      url.searchParams.set('code', code);
      return sendTo(url.href);
    },
  };
}

export const oauthScreens = [
  page('oauth', '/oauth/authorize'),
  page('oauth-v2', '/oauth/v2/authorize'),
  page('oauth-express', '/express/oauth/authorize'),
];

export const oauthOperations = [token, deauthorize];
