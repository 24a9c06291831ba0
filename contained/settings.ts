// Settings of the kernel that each network namespace has for itself and that a program may notice: as the machine has
// them, where they can be set.
import { readFileSync, writeFileSync } from 'node:fs';

/** From which port on an ordinary user may listen; who may send an echo request. */
const KEPT = ['net/ipv4/ip_unprivileged_port_start', 'net/ipv4/ping_group_range'];

/** By their files under /proc/sys, which show those of whoever reads them. */
export type Settings = { readonly [file: string]: string };

export function readSettings(): Settings {
  const settings: Record<string, string> = {};
  for (const file of KEPT) tried(() => (settings[file] = readFileSync(`/proc/sys/${file}`, 'utf8')));
  return settings;
}

export function keepSettings(settings: Settings): void {
  for (const [file, value] of Object.entries(settings))
    tried(() => writeFileSync(`/proc/sys/${file}`, value));
}

/** One that this kernel has not is nobody's to notice. */
function tried(act: () => void): void {
  try {
    act();
  } catch {}
}
