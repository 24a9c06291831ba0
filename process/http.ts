// `node:http` for whoever calls it. An import of it asks it for all that it exports, its WebSocket among them, which loads
// the whole of undici: as long as a Node takes to start.
export const http: typeof import('node:http') = process.getBuiltinModule('node:http');
