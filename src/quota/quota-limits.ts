/**
 * The limits of one kind of quota, and which of them counts for a client. Owns precedence: of Kafka's eight levels the
 * first that has a limit, and whose use is added up under it (its `ClientQuotaManager`).
 */
import { createHash } from 'node:crypto';
import type { QuotaEntity } from '../cluster/client-quota';

/** Names from this length on are kept as digests. */
const LONGEST_NAME = 128;

/** The limit that counts for a client. */
export interface ApplyingLimit {
  /** Units a second. */
  readonly limit: number;
  /** Whose use is added up: a user, a client id of all users, or a client id of one user. */
  readonly meter: string;
}

type ByName = Map<string | null, number>;

interface UserLimits {
  own: number | undefined;
  readonly byClientId: ByName;
}

export class QuotaLimits {
  /** Null for the default, here and below. */
  readonly #users = new Map<string | null, UserLimits>();
  readonly #clientIds: ByName = new Map();

  /** Sets the limit of a user, a client id or both together; undefined removes it. */
  set(entity: QuotaEntity, limit: number | undefined): void {
    const clientId = entity.get('client-id');
    const user = entity.get('user');
    if (user === undefined) {
      if (clientId !== undefined) put(this.#clientIds, clientId, limit);
      return;
    }
    const limits = this.#users.get(user) ?? { own: undefined, byClientId: new Map() };
    if (clientId === undefined) limits.own = limit;
    else put(limits.byClientId, clientId, limit);
    if (limits.own === undefined && limits.byClientId.size === 0) this.#users.delete(user);
    else this.#users.set(user, limits);
  }

  get isEmpty(): boolean {
    return this.#users.size === 0 && this.#clientIds.size === 0;
  }

  /** Undefined where nothing limits the client. One without an id is no client of a client id's quota. */
  of(user: string, clientId: string): ApplyingLimit | undefined {
    return (
      this.#ofUser(this.#users.get(user), user, clientId) ??
      this.#ofUser(this.#users.get(null), user, clientId) ??
      this.#ofClientId(clientId)
    );
  }

  #ofUser(limits: UserLimits | undefined, user: string, clientId: string): ApplyingLimit | undefined {
    if (limits === undefined) return undefined;
    const together = clientId === '' ? undefined : named(limits.byClientId, clientId);
    if (together !== undefined) return { limit: together, meter: meterName(user, clientId) };
    return limits.own === undefined ? undefined : { limit: limits.own, meter: meterName(user, '') };
  }

  #ofClientId(clientId: string): ApplyingLimit | undefined {
    const limit = clientId === '' ? undefined : named(this.#clientIds, clientId);
    return limit === undefined ? undefined : { limit, meter: meterName('', clientId) };
  }
}

function put(limits: ByName, name: string | null, limit: number | undefined): void {
  if (limit === undefined) limits.delete(name);
  else limits.set(name, limit);
}

function named(limits: ByName, name: string): number | undefined {
  return limits.get(name) ?? limits.get(null);
}

/** Any text can be a name: the length tells where the first one ends. Clients choose how long it is, so not here. */
function meterName(user: string, clientId: string): string {
  const name = `${user.length}:${user}${clientId}`;
  return name.length <= LONGEST_NAME ? name : createHash('sha256').update(name).digest('base64');
}
