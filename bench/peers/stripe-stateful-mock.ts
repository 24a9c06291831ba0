// stripe-stateful-mock, as its own command starts it.
import { createRequire } from 'node:module';
import { ready } from '../child.ts';

type App = { listen(port: number, host: string, listening: () => void): void };

const require = createRequire(import.meta.url);
const { createExpressApp } = require('stripe-stateful-mock') as { createExpressApp: () => App };
const port = Number(process.argv[2]);
createExpressApp().listen(port, '127.0.0.1', () => ready({ url: `http://127.0.0.1:${port}` }));
