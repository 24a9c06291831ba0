import { charge } from './shop.mjs';

// biome-ignore lint/style/noDefaultExport: what the seed of a Jest world is.
export default () => charge('seed@example.com');
