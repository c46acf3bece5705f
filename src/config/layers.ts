/**
 * Puts the broker's settings together. From weak to strong: defaults, the file, the environment, `--override`, and the
 * options that stand for one setting each (`--port`, `--data-dir`). Reports every problem at once; unknown names are
 * warnings with the nearest known name, or problems in the strict mode. Reads nothing itself: it is given texts.
 */
import type { LogFields } from '../base/logger';
import { err, ok, type Result } from '../base/result';
import { BrokerConfig, type ConfigProblem } from './broker-config';
import { checkConsistency, settingsWithoutEffect } from './consistency';
import { definitions } from './definitions';
import { environmentSettings } from './environment';
import { type ListenerPlan, planListeners } from './listeners';
import { nearestName } from './nearest-name';
import { parseProperties } from './properties';

export interface ConfigSources {
  /** The text of `server.properties`. */
  readonly fileText?: string | undefined;
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** `key=value` each; the value may be empty and may contain `=`. */
  readonly overrides?: readonly string[] | undefined;
  /** Port of the first listener. */
  readonly port?: number | undefined;
  /** The only data directory. */
  readonly dataDir?: string | undefined;
  /** Whether unknown names stop the start. */
  readonly strict?: boolean | undefined;
}

export interface LoadedConfig {
  readonly config: BrokerConfig;
  readonly listeners: ListenerPlan;
  /** For the log, once there is one. */
  readonly warnings: readonly ConfigWarning[];
}

export interface ConfigWarning {
  readonly message: string;
  readonly fields: LogFields;
}

/** Names that are settings of a listener or of a plug-in: `listener.name.X.KEY` and the like. */
const KNOWN_PREFIXES = /^(listener\.name\.[^.]+\.|rlmm\.config\.|rsm\.config\.|config\.providers\.)/;

function splitOverride(override: string): readonly [string, string] | undefined {
  const equals = override.indexOf('=');
  return equals <= 0 ? undefined : [override.slice(0, equals).trim(), override.slice(equals + 1).trim()];
}

const FIRST_PORT = /:(-?\d+)(?=\s*(?:,|$))/;

/**
 * Puts `port` in the first end point of `listeners`. Where that end point is advertised with the port that it no
 * longer has, as in Kafka's stock files, the advertised one follows: else no client would come back.
 */
function applyPort(settings: Map<string, string>, port: number): void {
  const listeners = settings.get('listeners');
  if (!listeners) {
    settings.set('listeners', `PLAINTEXT://:${port}`);
    return;
  }
  settings.set('listeners', listeners.replace(FIRST_PORT, `:${port}`));
  const advertised = settings.get('advertised.listeners');
  const name = /^\s*([^:]+):\/\//.exec(listeners)?.[1];
  const formerPort = FIRST_PORT.exec(listeners)?.[1];
  if (!advertised || name === undefined || formerPort === undefined) return;
  const followed = advertised.split(',').map((endPoint) => {
    const isIt = endPoint.trim().startsWith(`${name}://`) && FIRST_PORT.exec(endPoint)?.[1] === formerPort;
    return isIt ? endPoint.replace(FIRST_PORT, `:${port}`) : endPoint;
  });
  settings.set('advertised.listeners', followed.join(','));
}

function gatherSettings(sources: ConfigSources): Result<Map<string, string>, ConfigProblem> {
  const settings = new Map(parseProperties(sources.fileText ?? ''));
  for (const [key, value] of environmentSettings(sources.environment ?? {})) settings.set(key, value);
  for (const override of sources.overrides ?? []) {
    const pair = splitOverride(override);
    if (!pair) return err({ key: '--override', value: override, reason: 'must be KEY=VALUE' });
    settings.set(...pair);
  }
  if (sources.port !== undefined) applyPort(settings, sources.port);
  if (sources.dataDir !== undefined) settings.set('log.dirs', sources.dataDir);
  return ok(settings);
}

function unknownProblem(key: string): ConfigProblem {
  const nearest = nearestName(key, Object.keys(definitions));
  return { key, value: null, reason: `is not a known setting${nearest ? `; did you mean ${nearest}?` : ''}` };
}

function warningsOf(config: BrokerConfig, unknown: readonly string[]): ConfigWarning[] {
  const warnings: ConfigWarning[] = unknown.map((key) => {
    const nearest = nearestName(key, Object.keys(definitions));
    return { message: 'unknown setting is ignored', fields: nearest ? { key, didYouMean: nearest } : { key } };
  });
  const inert = settingsWithoutEffect(config);
  if (inert.length > 0) warnings.push({ message: 'settings without effect here', fields: { keys: inert } });
  return warnings;
}

/** The configuration, or everything that is wrong with it. */
export function loadConfig(sources: ConfigSources): Result<LoadedConfig, readonly ConfigProblem[]> {
  const settings = gatherSettings(sources);
  if (!settings.ok) return err([settings.error]);
  const parsed = BrokerConfig.parse(settings.value);
  const names = [...settings.value.keys()];
  const unknown = names.filter((name) => !Object.hasOwn(definitions, name) && !KNOWN_PREFIXES.test(name));
  // Values of unknown names are not repeated: a mistyped name may hold a secret.
  const strictProblems = sources.strict ? unknown.map(unknownProblem) : [];
  if (!parsed.ok) return err([...parsed.error, ...strictProblems]);

  const config = parsed.value;
  const listeners = planListeners(config);
  const problems = [...strictProblems, ...checkConsistency(config), ...(listeners.ok ? [] : [listeners.error])];
  if (problems.length > 0 || !listeners.ok) return err(problems);
  return ok({ config, listeners: listeners.value, warnings: warningsOf(config, unknown) });
}
