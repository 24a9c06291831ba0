// Settings of the kernel that each network namespace has for itself and that a program may notice: as the machine has
// them, where they can be set.
import { readFile, writeFile } from 'node:fs/promises';

/** From which port on an ordinary user may listen; who may send an echo request. */
const KEPT = ['net/ipv4/ip_unprivileged_port_start', 'net/ipv4/ping_group_range'];

/** By their files under /proc/sys, which show those of whoever reads them. */
export type Settings = { readonly [file: string]: string };

export async function readSettings(): Promise<Settings> {
  const values = await Promise.all(
    KEPT.map(async file => [file, await readFile(`/proc/sys/${file}`, 'utf8').catch(() => '')] as const),
  );
  return Object.fromEntries(values.filter(([, value]) => value !== ''));
}

export async function keepSettings(settings: Settings): Promise<void> {
  await Promise.all(
    Object.entries(settings).map(([file, value]) => writeFile(`/proc/sys/${file}`, value).catch(() => {})),
  );
}
