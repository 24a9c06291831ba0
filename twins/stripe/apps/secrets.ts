// Secrets of apps, found and deleted by the name and the scope that they are kept under. They are made and listed by
// the generic tier.
import type { RecordBody } from '../../kit/tx.ts';
import type { Act } from '../api/act.ts';
import { missing } from '../api/errors.ts';
import { vendor } from '../api/vendor.ts';
import type { View } from '../api/view.ts';

const SECRETS_MAX = 100;

type Scope = { readonly type: 'account' | 'user'; readonly user?: string };
type Asked = { readonly expand?: readonly string[]; readonly name: string; readonly scope: Scope };

function needSecret(act: Act, { name, scope }: Pick<Asked, 'name' | 'scope'>): RecordBody {
  const { items } = act.tx.list('apps.secret', {
    where: { $parent: '' },
    limit: SECRETS_MAX,
    keep: body => {
      const held = body['scope'] as Scope;
      const gone = typeof body['expires_at'] === 'number' && body['expires_at'] <= act.at;
      return !gone && body['name'] === name && held.type === scope.type && held.user === scope.user;
    },
  });
  if (items[0] === undefined) throw missing('secret', name, { param: 'name', inPath: true });
  return items[0];
}

function asAnswer({ $parent: _parent, ...view }: RecordBody): View {
  return view;
}

const find = vendor<Asked>('apps.secrets.find', ({ act, params }) => asAnswer(needSecret(act, params)));

const del = vendor<Asked>('apps.secrets.deleteWhere', ({ act, params }) => {
  const held = needSecret(act, params);
  act.wrote = true;
  act.tx.delete('apps.secret', String(held['id']));
  const { payload: _payload, ...view } = asAnswer(held);
  return { ...view, deleted: true };
});

export const appSecretOperations = [find, del];
