/** What clients say that they are, in ApiVersions (KIP-511). Forgotten with the connection. */
import type { ConnectionInfo } from '../base/transport';

export interface Software {
  readonly name: string;
  readonly version: string;
}

/** Who says more says nothing: it would be kept for as long as the connection. */
const LONGEST_NAME = 250;
const UNKNOWN: Software = { name: 'unknown', version: 'unknown' };

export class ClientSoftware {
  readonly #byConnection = new WeakMap<ConnectionInfo, Software>();

  note(connection: ConnectionInfo, software: Software): void {
    if (software.name.length > LONGEST_NAME || software.version.length > LONGEST_NAME) return;
    this.#byConnection.set(connection, software);
  }

  of(connection: ConnectionInfo): Software {
    return this.#byConnection.get(connection) ?? UNKNOWN;
  }
}
