// The pages that a person looks at.
import type { Screens } from '../kit/build-twin.ts';
import type { JsonScreen } from '../kit/json-api.ts';
import type { Ask } from '../kit/operation.ts';
import { errorReply } from './errors.ts';
import { inboxPage, mailPage } from './inbox.ts';
import { ofMail, pageOf } from './operations.ts';

const INBOX: JsonScreen = { id: 'inbox', path: '/', run: ask => inboxPage(pageOf(ask), ask.query) };
const MAIL: JsonScreen = { id: 'mail', path: '/mail/{id}', run: ofMail(mailPage) };

/** What the manifest names; a mail's page is reached from there. */
export const FRONT_SCREENS: readonly JsonScreen[] = [INBOX];

export const SCREENS: Screens<Ask> = { list: [INBOX, MAIL], page: ask => ask, error: errorReply };
