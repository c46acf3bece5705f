/** What clients say that they are, in ApiVersions (KIP-511). Forgotten with the connection. */
import type { ConnectionInfo } from '../base/transport';

export interface Software {
  readonly name: string;
  readonly version: string;
}

const UNKNOWN: Software = { name: 'unknown', version: 'unknown' };

export class ClientSoftware {
  readonly #byConnection = new WeakMap<ConnectionInfo, Software>();

  note(connection: ConnectionInfo, software: Software): void {
    this.#byConnection.set(connection, software);
  }

  of(connection: ConnectionInfo): Software {
    return this.#byConnection.get(connection) ?? UNKNOWN;
  }
}
