// The little of node:crypto that workerd is asked for here.
declare module 'node:crypto' {
  type Hash = { update(data: string | Uint8Array): Hash; digest(): Uint8Array };
  export function createHash(name: 'sha256'): Hash;
}
