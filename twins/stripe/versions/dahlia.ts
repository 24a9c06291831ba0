// What 2026-03-25.dahlia changed.
import type { FormMap } from '../../kit/form.ts';
import { invalid } from '../api/errors.ts';
import type { Change } from './change.ts';
import { nodeAt, put } from './form.ts';

/** How a checkout session is shown: its words, as they were and as they are. */
const MODES = new Map([
  ['hosted', 'hosted_page'],
  ['embedded', 'embedded_page'],
  ['custom', 'elements'],
]);

function modeBefore(mode: unknown): unknown {
  for (const [before, since] of MODES) if (mode === since) return before;
  return mode;
}

export const DAHLIA: readonly Change[] = [
  {
    since: '2026-03-25.dahlia',
    log: 'dahlia/2026-03-25/updates-available-checkout-session-ui-modes',
    before: {
      'checkout.session': view => {
        view['ui_mode'] = modeBefore(view['ui_mode']);
      },
    },
    params: {
      'checkout.sessions.create': (form: FormMap) => {
        const mode = nodeAt(form, 'ui_mode');
        const since = typeof mode === 'string' ? MODES.get(mode) : undefined;
        if (since !== undefined) put(form, 'ui_mode', since);
      },
    },
    gone: {
      'checkout.sessions.create': (form: FormMap) => {
        const mode = form.get('ui_mode');
        if (typeof mode !== 'string' || !MODES.has(mode)) return;
        throw invalid(`Invalid ui_mode: must be one of ${[...MODES.values()].join(', ')}`, {
          param: 'ui_mode',
        });
      },
    },
  },
];
