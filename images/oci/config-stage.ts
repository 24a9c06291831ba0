// The config of an image that is built already, as the stage of a build file that says the same.
import type { CommandWords, Stage } from '../build-file.ts';
import { configuredHealthCheck } from '../health-check.ts';
import { absolute } from '../image-path.ts';
import { MOUNTS_MAX, PORTS_MAX, VALUE_CHARS_MAX } from '../limits.ts';
import { type Note, Unreadable } from '../note.ts';
import { type BuiltImage, fieldsOf } from './built-image.ts';

/** @throws Unreadable */
export function stageOfConfig({ file, config, platform }: BuiltImage): {
  readonly stage: Stage;
  readonly notes: readonly Note[];
} {
  const place = { file, line: 1 };
  const notes: Note[] = [];
  const keys = (name: string, max: number): readonly string[] => {
    const found = Object.keys(fieldsOf(config[name]) ?? {});
    if (found.length > max) throw new Unreadable(place, `${name} has more than ${max}`);
    return found;
  };
  const words = (name: string): CommandWords | null => {
    const found = textsOf(config[name]);
    return found.length === 0 ? null : { words: found, shell: false, place };
  };
  const text = (name: string): string | null => {
    const value = config[name];
    return typeof value === 'string' && value !== '' && value.length <= VALUE_CHARS_MAX ? value : null;
  };
  const ports = keys('ExposedPorts', PORTS_MAX).flatMap(key => {
    const [, port, protocol] = /^(\d{1,5})(?:\/(tcp|udp))?$/.exec(key) ?? [];
    if (port !== undefined && Number(port) <= 65_535)
      return [
        { port: Number(port), protocol: protocol === 'udp' ? ('udp' as const) : ('tcp' as const), place },
      ];
    notes.push({ ...place, what: `ExposedPorts: ${key.slice(0, 60)} is no port` });
    return [];
  });
  const health = fieldsOf(config['Healthcheck']);
  const [user, folder] = [text('User'), text('WorkingDir')];
  const env = textsOf(config['Env']).map(each => {
    const at = each.indexOf('=');
    return [at < 0 ? each : each.slice(0, at), { value: at < 0 ? '' : each.slice(at + 1), place }] as const;
  });
  const stage: Stage = {
    ...{ name: null, base: platform, baseStage: null, place },
    ...{ env: new Map(env), command: words('Cmd'), entrypoint: words('Entrypoint') },
    user: user === null ? null : { name: user, place },
    workingFolder: folder === null ? null : { path: absolute(folder, '/'), place },
    ports,
    volumes: keys('Volumes', MOUNTS_MAX).map(path => ({ path: absolute(path, '/'), place })),
    ...{ makes: [], healthCheck: health === null ? null : configuredHealthCheck(health, place) },
  };
  return { stage, notes };
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value)
    ? value.filter((each): each is string => typeof each === 'string' && each.length <= VALUE_CHARS_MAX)
    : [];
}
