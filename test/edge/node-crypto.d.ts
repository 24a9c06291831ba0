// The little of node:crypto that workerd is asked for here.
declare module 'node:crypto' {
  export function createHash(name: 'sha256'): {
    update(data: string | Uint8Array): { digest(): Uint8Array };
  };
}
