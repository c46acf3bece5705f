/** The syntax of `odradek.metrics.listener`. */

/** Where operators' tools find metrics and health. */
export interface HostPort {
  /** Empty: all interfaces. An IPv6 address comes without its brackets. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

const SYNTAX = /^(?:\[([0-9a-fA-F:.%]+)\]|([-0-9a-zA-Z._]*)):(\d{1,5})$/;
const HIGHEST_PORT = 65_535;

/** HOST:PORT, :PORT or [IPv6]:PORT; undefined for anything else. */
export function parseHostPort(source: string): HostPort | undefined {
  const match = SYNTAX.exec(source);
  const port = Number(match?.[3]);
  if (!match || port > HIGHEST_PORT) return undefined;
  return { host: match[1] ?? match[2]!, port };
}
