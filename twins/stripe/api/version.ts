/** The version of Stripe's API that this twin answers as. */
export const API_VERSION = '2026-10-28.endive';
