// The account's settings for tax.

import { type Act, find, save } from '../api/act.ts';
import { filledField } from '../api/fill-shape.ts';
import { vendor } from '../api/vendor.ts';
import { type View, viewOf } from '../api/view.ts';
import { tellView } from '../events/events.ts';

type Defaults = { readonly tax_behavior?: string; readonly tax_code?: string };
type Asked = { readonly defaults?: Defaults; readonly head_office?: { readonly address: object } };

/** There is one of them. */
const ID = 'settings';

function settingsOf(act: Act) {
  return (
    find(act, 'tax.settings', ID) ?? {
      id: ID,
      object: 'tax.settings',
      defaults: { provider: 'stripe', tax_behavior: null, tax_code: null },
      head_office: null,
      livemode: false,
    }
  );
}

function asAnswer(act: Act, record: ReturnType<typeof settingsOf>): View {
  const { id: _id, ...view } = viewOf(act, 'tax.settings', record);
  const missing = view['head_office'] === null ? ['head_office'] : [];
  return {
    ...view,
    status: missing.length === 0 ? 'active' : 'pending',
    status_details: missing.length === 0 ? { active: {} } : { pending: { missing_fields: missing } },
  };
}

const retrieve = vendor<object>('tax.settings.retrieve', ({ act }) => asAnswer(act, settingsOf(act)));

const change = vendor<Asked>('tax.settings.update', ({ act, params }) => {
  const before = settingsOf(act);
  const next = {
    ...before,
    defaults: { ...(before['defaults'] as object), ...params.defaults },
    ...(params.head_office === undefined
      ? {}
      : { head_office: filledField('tax.settings', 'head_office', params.head_office) }),
  };
  save(act, 'tax.settings', next);
  tellView(act, 'tax.settings.updated', asAnswer(act, next), asAnswer(act, before));
  return asAnswer(act, next);
});

export const taxSettingsOperations = [retrieve, change];
