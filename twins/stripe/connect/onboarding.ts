// How accounts are onboarded: links to the hosted form and to the dashboard, and the form itself.

import { html } from '../../kit/html.ts';
import { find, need, save } from '../api/act.ts';
import { invalid } from '../api/errors.ts';
import { operation } from '../api/operation.ts';
import { choice, hash, required, text, tree } from '../api/params.ts';
import { notice, type Screen, screenReply, sendTo } from '../api/screen.ts';
import { update } from '../events/events.ts';
import { standing } from './accounts.ts';
import { activate, needAccount } from './capabilities.ts';

const LINK_SECONDS = 300;
const DUE = choice('currently_due', 'eventually_due');

const link = operation(
  'accountLinks.create',
  'POST /v1/account_links',
  {
    account: required(text()),
    /** An old name of `collection_options[fields]`. */
    collect: DUE,
    collection_options: hash({ fields: DUE, future_requirements: choice('include', 'omit') }),
    refresh_url: text(),
    return_url: text(),
    type: required(choice('account_onboarding', 'account_update')),
  },
  ({ act, params }) => {
    const account = need(act, 'account', params.account, { param: 'account' });
    if (account.type === 'standard' && params.type === 'account_update') {
      throw invalid('You cannot create `account_update` type Account Links for this account.', {
        param: 'type',
      });
    }
    const code = act.tx.id('', 12);
    const expires_at = act.at + LINK_SECONDS;
    const { refresh_url = '', return_url = '', collection_options: options } = params;
    if (params.collect !== undefined && options !== undefined) {
      throw invalid('You may only specify one of these parameters: collect, collection_options.', {
        code: 'parameters_exclusive',
        param: 'collect',
      });
    }
    const asks = [
      ...((options?.fields ?? params.collect) === 'eventually_due' ? ['what is due later'] : []),
      ...(options?.future_requirements === 'include' ? ['requirements to come'] : []),
    ];
    act.tx.kind('account_link.created');
    save(act, 'account', { ...account, $link: { code, expires_at, refresh_url, return_url, asks } });
    return {
      object: 'account_link',
      created: act.at,
      expires_at,
      url: `https://connect.stripe.com/setup/${account.type === 'express' ? 'e' : 'c'}/${account.id}/${code}`,
    };
  },
);

const login = operation(
  'accounts.createLoginLink',
  'POST /v1/accounts/{account}/login_links',
  {},
  ({ act, path }) => {
    const account = needAccount(act, path['account'] ?? '');
    if (account.type !== 'express') {
      throw invalid('Login Links can only be created for Express accounts.', { param: 'account' });
    }
    return {
      object: 'login_link',
      created: act.at,
      url: `https://connect.stripe.com/express/${account.id}/${act.tx.id('', 12)}`,
    };
  },
);

const session = operation(
  'accountSessions.create',
  'POST /v1/account_sessions',
  { account: required(text()), components: required(tree()) },
  ({ act, params }) => ({
    object: 'account_session',
    account: need(act, 'account', params.account, { param: 'account' }).id,
    client_secret: `_OXI${act.tx.id('', 60)}`,
    components: params.components,
    expires_at: act.at + LINK_SECONDS,
    livemode: false,
  }),
);

/** One click stands for the whole form. */
export const onboardingScreen: Screen = {
  id: 'onboarding',
  host: 'connect.stripe.com',
  path: '/setup/{kind}/{account}/{code}',
  run({ act, method, path }) {
    const account = find(act, 'account', path['account'] ?? '');
    const link = account?.$link;
    if (account === undefined || link === undefined || link.code !== path['code']) {
      return notice(404, 'Not found', 'There is no such link.');
    }
    // A link is good once, and for a while: then the platform is asked for another.
    if (link.expires_at <= act.at) return sendTo(link.refresh_url);
    if (method === 'GET') {
      return screenReply(
        'Onboarding',
        html`<p>${account.email ?? account.id} is about to take payments through this platform.</p>
<p>It is asked for ${['what is due now', ...(link.asks ?? [])].join(', ')}.</p>
<form method="post"><button>Complete onboarding</button></form>`,
      );
    }
    const { $link: _used, ...rest } = account;
    const done = update(act, 'account', account, standing({ ...rest, $onboarded: true }), 'account.updated');
    activate(act, done);
    return sendTo(link.return_url);
  },
};

export const onboardingOperations = [link, login, session];
