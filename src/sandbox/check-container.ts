import { isDeepStrictEqual } from 'node:util';
import { CypherFixError } from '../core/errors.ts';
import type { ContainerSettings } from './container-settings.ts';

/** The part of an image's configuration that its containers inherit. */
export interface InheritedConfig {
  readonly Env?: readonly string[] | null | undefined;
  readonly Labels?: Readonly<Record<string, string>> | null | undefined;
}

/** What must be empty, zero or false in HostConfig: each would share something of the host with the container. */
const MUST_BE_EMPTY = [
  'Binds',
  'Mounts',
  'Devices',
  'DeviceRequests',
  'DeviceCgroupRules',
  'VolumesFrom',
  'CapAdd',
  'GroupAdd',
  'Links',
  'ExtraHosts',
  'PortBindings',
  'PublishAllPorts',
  'PidMode',
  'UTSMode',
  'UsernsMode',
  'CgroupParent',
  'Sysctls',
  'VolumeDriver',
  'OomKillDisable',
  'Init',
  'Dns',
  'ContainerIDFile',
] as const;

/** Throws when the created container is not exactly what was asked for; the message names every difference. */
export function assertContainer(wanted: ContainerSettings, inspected: unknown, inherited: InheritedConfig): void {
  const differences = toDifferences(wanted, inspected, inherited);
  if (differences.length > 0) {
    throw new CypherFixError(
      'sandbox',
      `the engine made another container than was asked for: ${differences.join('; ')}`,
      {
        hint: 'nothing was started; check what changes containers on this engine (plug-ins, default settings)',
      },
    );
  }
}

/** One text for each setting that differs. `inspected` is the engine's answer, taken as unknown. */
export function toDifferences(wanted: ContainerSettings, inspected: unknown, inherited: InheritedConfig): string[] {
  const found = toRecord(inspected);
  const config = toRecord(found['Config']);
  const host = toRecord(found['HostConfig']);
  const differences: string[] = [];
  const compare = (name: string, actual: unknown, expected: unknown): void => {
    if (!isDeepStrictEqual(actual, expected)) differences.push(`${name} is ${toText(actual)}, not ${toText(expected)}`);
  };

  compare('Image', found['Image'], wanted.Image);
  compare('Path', [found['Path'], ...toList(found['Args'])], [...wanted.Cmd]);
  for (const name of ['User', 'WorkingDir', 'Tty', 'OpenStdin', 'StdinOnce', 'StopSignal'] as const) {
    compare(`Config.${name}`, config[name], wanted[name]);
  }
  compare('Config.Entrypoint', toList(config['Entrypoint']), []);
  compare('Config.Env', toList(config['Env']).map(String).sort(), toMergedEnv(wanted.Env, inherited.Env ?? []));
  compare('Config.Labels', { ...toRecord(config['Labels']) }, { ...inherited.Labels, ...wanted.Labels });
  compare('Config.Volumes', isEmpty(config['Volumes']), true);
  compare('Mounts', toList(found['Mounts']), []);

  for (const [name, value] of Object.entries(wanted.HostConfig)) {
    const ordered = name === 'Ulimits' || name === 'SecurityOpt';
    compare(`HostConfig.${name}`, ordered ? sort(host[name]) : host[name], ordered ? sort(value) : value);
  }
  for (const name of MUST_BE_EMPTY) {
    if (!isEmpty(host[name])) differences.push(`HostConfig.${name} is ${toText(host[name])}, not empty`);
  }
  return differences;
}

function toMergedEnv(own: readonly string[], inherited: readonly string[]): string[] {
  const names = new Set(own.map(toName));
  return [...own, ...inherited.filter(entry => !names.has(toName(entry)))].sort();
}

const toName = (entry: string): string => entry.slice(0, entry.indexOf('='));

const toRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const sort = (value: unknown): string[] =>
  toList(value)
    .map(entry => (typeof entry === 'string' ? entry : JSON.stringify(Object.entries(toRecord(entry)).sort())))
    .sort();

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === false || value === 0) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function toText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
