// The developers' page: the version of the API that the account has.
import { html } from '../../kit/html.ts';
import type { Reply } from '../../kit/reply.ts';
import { accountVersion, setAccountVersion } from '../api/account-version.ts';
import { StripeRefusal } from '../api/errors.ts';
import { API_VERSION, apiVersions } from '../api/version.ts';
import { framed } from './frame.ts';
import { onceField, seeOther, taken, takenBefore } from './once.ts';
import type { Visit } from './visit.ts';

export function developersPage(visit: Visit, refusal: string | null = null): Reply {
  const now = accountVersion(visit.act.tx);
  const versions = [...new Set([API_VERSION, ...[...apiVersions()].reverse()])];
  const options = versions.map(
    version => html`<option${version === now ? { html: ' selected' } : null}>${version}</option>`,
  );
  const body = html`<h2>API version</h2>
<div class="card"><dl><dt>The account’s default</dt><dd><code>${now}</code></dd></dl>
${visit.writes ? html`<form method="post" class="deed">${onceField(visit.act)}<label for="version">Version</label><select id="version" name="version">${options}</select><br><button type="submit">Set the default</button></form>` : null}</div>
<p class="quiet">Callers that send no <code>Stripe-Version</code> are answered in it, events are told in it from then on, and so are webhook endpoints that have no version of their own.</p>`;
  const status = refusal === null ? 200 : 400;
  return framed(visit, { title: 'Developers', at: 'developers', body, status, error: refusal });
}

export function setVersion(visit: Visit): Reply {
  const before = takenBefore(visit);
  if (before !== null) return seeOther(before);
  try {
    setAccountVersion(visit.act.tx, visit.form.get('version') ?? '');
  } catch (thrown) {
    if (!(thrown instanceof StripeRefusal)) throw thrown;
    return developersPage(visit, thrown.message);
  }
  const to = `${visit.base}developers`;
  taken(visit, to);
  return seeOther(to);
}
