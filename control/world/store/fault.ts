// What may be logged of an exception that a twin threw: its class and where it was thrown. Never its message,
// which may quote what the caller sent (JSON.parse does), and with it a secret (security 52).
import { FAULT_FRAMES_MAX } from '../limits.ts';

export const describeFault = (error: unknown): { readonly name: string; readonly at: readonly string[] } => {
  if (!(error instanceof Error)) return { name: typeof error, at: [] };
  const lines = (error.stack ?? '').split('\n').map(line => line.trim());
  return {
    name: error.name,
    at: lines.filter(line => /^at .*:\d+:\d+\)?$/.test(line)).slice(0, FAULT_FRAMES_MAX),
  };
};
