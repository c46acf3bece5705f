/**
 * Listener settings as end points. Owns the syntax `NAME://HOST:PORT`, the protocol map and Kafka's rules that relate
 * `listeners`, `advertised.listeners`, the controller's listeners and the one between brokers. Opens no sockets.
 * Source: Kafka's `SocketServerConfigs` and `KafkaConfig.validateValues`.
 */
import { err, ok, type Result } from '../base/result';
import type { BrokerConfig, ConfigProblem } from './broker-config';
import { parseList } from './definition';

export type SecurityProtocol = 'PLAINTEXT' | 'SSL' | 'SASL_PLAINTEXT' | 'SASL_SSL';

export interface Endpoint {
  readonly listener: string;
  /** Empty: all interfaces. An IPv6 address comes without its brackets. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly securityProtocol: SecurityProtocol;
}

export interface ListenerPlan {
  /** What to open. */
  readonly listeners: readonly Endpoint[];
  /** What clients are told, per listener name; undefined where nothing is set. */
  readonly advertised: readonly Endpoint[] | undefined;
  readonly interBrokerListener: string;
}

const PROTOCOLS: readonly string[] = ['PLAINTEXT', 'SSL', 'SASL_PLAINTEXT', 'SASL_SSL'];
const SYNTAX = /^([a-zA-Z0-9_-]+):\/\/(?:\[([0-9a-zA-Z:%._-]+)\]|([-0-9a-zA-Z._%]*)):(-?\d+)$/;

function isProtocol(name: string): name is SecurityProtocol {
  return PROTOCOLS.includes(name);
}

function problem(key: string, value: string, reason: string): Result<never, ConfigProblem> {
  return err({ key, value, reason });
}

/** `NAME:PROTOCOL,…` as a map; names are compared in capitals. */
function protocolMap(config: BrokerConfig): Result<ReadonlyMap<string, SecurityProtocol>, ConfigProblem> {
  const key = 'listener.security.protocol.map';
  const source = config.get(key);
  const map = new Map<string, SecurityProtocol>();
  for (const pair of parseList(source)) {
    const colon = pair.lastIndexOf(':');
    const name = pair.slice(0, colon).trim().toUpperCase();
    const protocol = pair
      .slice(colon + 1)
      .trim()
      .toUpperCase();
    if (colon <= 0 || !isProtocol(protocol)) {
      return problem(key, source, `must be NAME:PROTOCOL pairs, PROTOCOL one of ${PROTOCOLS.join(', ')}`);
    }
    if (map.has(name)) return problem(key, source, `names the listener ${name} twice`);
    map.set(name, protocol);
  }
  return ok(map);
}

interface ParseRequest {
  readonly key: 'listeners' | 'advertised.listeners';
  readonly sources: readonly string[];
  readonly protocols: ReadonlyMap<string, SecurityProtocol>;
}

function parseEndpoint(o: ParseRequest, source: string): Result<Endpoint, ConfigProblem> {
  const whole = o.sources.join(',');
  const match = SYNTAX.exec(source);
  const port = Number(match?.[4]);
  if (!match || port < 0 || port > 65535) {
    return problem(o.key, whole, `must be a list of NAME://HOST:PORT with a port of 0 to 65535; ${source} is not`);
  }
  const listener = match[1]!.toUpperCase();
  const securityProtocol = o.protocols.get(listener);
  if (!securityProtocol) {
    return problem(o.key, whole, `names the listener ${listener}, which listener.security.protocol.map does not have`);
  }
  return ok({ listener, host: match[2] ?? match[3]!, port, securityProtocol });
}

function parseEndpoints(o: ParseRequest): Result<readonly Endpoint[], ConfigProblem> {
  const endpoints: Endpoint[] = [];
  for (const source of o.sources) {
    const parsed = parseEndpoint(o, source);
    if (!parsed.ok) return parsed;
    if (endpoints.some((other) => other.listener === parsed.value.listener)) {
      return problem(o.key, o.sources.join(','), `names the listener ${parsed.value.listener} twice`);
    }
    endpoints.push(parsed.value);
  }
  return ok(endpoints);
}

/** IPv4 and IPv6 of the same port may stand side by side; everything else on one port is a clash. */
function clashingPort(endpoints: readonly Endpoint[]): number | undefined {
  const families = new Map<number, string[]>();
  for (const { host, port } of endpoints) {
    if (port === 0) continue;
    const family = host.includes(':') ? 'v6' : /^\d+(\.\d+){3}$/.test(host) ? 'v4' : 'any';
    const others = families.get(port) ?? [];
    const compatible =
      others.length === 0 || (others.length === 1 && family !== 'any' && others[0] !== family && others[0] !== 'any');
    if (!compatible) return port;
    families.set(port, [...others, family]);
  }
  return undefined;
}

function checkAdvertised(
  config: BrokerConfig,
  advertised: readonly Endpoint[],
  listeners: readonly Endpoint[],
): ConfigProblem | undefined {
  const key = 'advertised.listeners';
  const value = config.textOf(key);
  for (const { listener, host } of advertised) {
    if (host === '0.0.0.0' || host === '::' || host === '') {
      return { key, value, reason: `must name an address that clients can reach; ${host || 'an empty host'} is none` };
    }
    if (!listeners.some((other) => other.listener === listener)) {
      return { key, value, reason: `names ${listener}, which is not among the listeners` };
    }
  }
  return undefined;
}

/** The listener that brokers use among themselves: named, or the first with the protocol for it. */
function interBrokerListener(config: BrokerConfig, listeners: readonly Endpoint[]): Result<string, ConfigProblem> {
  const key = 'inter.broker.listener.name';
  const named = config.get(key)?.toUpperCase();
  if (named === undefined) {
    const protocol = config.get('security.inter.broker.protocol');
    const first = listeners.find((endpoint) => endpoint.securityProtocol === protocol) ?? listeners[0]!;
    return ok(first.listener);
  }
  if (config.isSet('security.inter.broker.protocol')) {
    return problem(key, named, 'must not be set together with security.inter.broker.protocol');
  }
  if (!listeners.some((endpoint) => endpoint.listener === named)) {
    return problem(key, named, 'must be one of the listeners');
  }
  return ok(named);
}

/** The protocol map plus the controller's listeners, which need no row: they are not opened here. */
function knownListeners(
  config: BrokerConfig,
  controllers: ReadonlySet<string>,
): Result<ReadonlyMap<string, SecurityProtocol>, ConfigProblem> {
  const protocols = protocolMap(config);
  if (!protocols.ok) return protocols;
  const known = new Map(protocols.value);
  for (const name of controllers) if (!known.has(name)) known.set(name, 'PLAINTEXT');
  return ok(known);
}

/** The end points of `listeners` that are opened, checked among themselves. */
function openedListeners(
  o: ParseRequest,
  controllers: ReadonlySet<string>,
): Result<readonly Endpoint[], ConfigProblem> {
  const all = parseEndpoints(o);
  if (!all.ok) return all;
  const written = o.sources.join(',');
  const opened = all.value.filter((endpoint) => !controllers.has(endpoint.listener));
  if (opened.length === 0) return problem(o.key, written, 'must have one that is not for the controller');
  const clash = clashingPort(all.value);
  if (clash !== undefined) return problem(o.key, written, `must not have port ${clash} twice`);
  const encrypted = opened.find((endpoint) => endpoint.securityProtocol !== 'PLAINTEXT');
  if (encrypted) {
    const { listener, securityProtocol } = encrypted;
    return problem(o.key, written, `${listener} asks for ${securityProtocol}; only PLAINTEXT is served so far`);
  }
  return ok(opened);
}

/** Everything about listeners, or the first thing that is wrong with them. */
export function planListeners(config: BrokerConfig): Result<ListenerPlan, ConfigProblem> {
  const controllers = new Set(config.get('controller.listener.names').map((name) => name.toUpperCase()));
  const protocols = knownListeners(config, controllers);
  if (!protocols.ok) return protocols;
  const request = { key: 'listeners', sources: config.get('listeners'), protocols: protocols.value } as const;
  const listeners = openedListeners(request, controllers);
  if (!listeners.ok) return listeners;
  const interBroker = interBrokerListener(config, listeners.value);
  if (!interBroker.ok) return interBroker;

  const plan = { listeners: listeners.value, interBrokerListener: interBroker.value };
  const sources = config.get('advertised.listeners');
  if (sources === null) return ok({ ...plan, advertised: undefined });
  const all = parseEndpoints({ key: 'advertised.listeners', sources, protocols: protocols.value });
  if (!all.ok) return all;
  const advertised = all.value.filter((endpoint) => !controllers.has(endpoint.listener));
  const wrong = checkAdvertised(config, advertised, listeners.value);
  return wrong ? err(wrong) : ok({ ...plan, advertised });
}
