import { charge } from './shop.mjs';

export default () => charge('seed@example.com');
