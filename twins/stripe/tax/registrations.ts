// Where the account is registered to collect tax. The registrations themselves are of the generic tier.
import type { Act } from '../api/act.ts';

const REGISTRATIONS_MAX = 1_000;

/** Whether tax is collected in a country now. */
export function isRegistered(act: Act, country: string): boolean {
  const held = act.tx.list('tax.registration', {
    where: { $parent: '' },
    limit: REGISTRATIONS_MAX,
    keep: body => {
      const until = body['expires_at'];
      const begun = Number(body['active_from']) <= act.at;
      return body['country'] === country && begun && (typeof until !== 'number' || until > act.at);
    },
  });
  return held.items.length > 0;
}
