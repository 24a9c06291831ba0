// What the SMTP twin says of itself (2.2).
import { HANDLER_MATCHERS } from '../kit/handlers.ts';
import type { Manifest } from '../kit/manifest.ts';
import { ROUTES } from './routes.ts';

export const SMTP_MANIFEST: Manifest = {
  kind: 'wrld-twin',
  vendor: 'smtp',
  version: '0.1.0',
  protocol: 'smtp',
  api: { sdks: [{ npm: 'nodemailer', version: '10.6.0' }] },
  models: [{ type: 'message', idPrefix: 'msg_', operations: ['receive', 'list', 'retrieve', 'delete'] }],
  coverage: { modelled: ROUTES.length + 1, generic: 0, catalog: 0 },
  hosts: [],
  stream: { id: 'smtp', env: ['SMTP_HOST', 'SMTP_PORT'] },
  generative: false,
  matchers: HANDLER_MATCHERS,
  root: false,
  screens: [{ id: 'inbox', path: '/' }],
};
