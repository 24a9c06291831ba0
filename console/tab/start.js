// What a worker of an attached page loads first: it is attached with what its page was (workers.js).
import { install } from './install.js';

install(globalThis, JSON.parse(decodeURIComponent(new URL(import.meta.url).hash.slice(1))));
