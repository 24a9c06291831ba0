// What the bundler writes into the worker (scripts/edge-bundle.ts).

/** The code: the version of the package, and a fingerprint of the bundle. */
declare const WRLD_CODE: string;
/** The version of the package. */
declare const WRLD_VERSION: string;
/** The texts of our pages, by folder and file. */
declare const WRLD_PAGE: { readonly [file: string]: string };
