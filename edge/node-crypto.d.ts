// The little of node:crypto that the worker uses: workerd has it, synchronous, under `nodejs_compat`.
declare module 'node:crypto' {
  type Hash = { update(data: string | Uint8Array): Hash; digest(): Uint8Array };
  export function createHash(name: 'sha256'): Hash;
  export function timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean;
}
