/**
 * The broker's side of KIP-714: which clients there are, what each is asked to push and when, and what they pushed.
 * Owns the instances (bounded, forgotten when their connection closes or they fall silent) and the rules for their
 * requests. Source of rules and codes: Kafka's `ClientMetricsManager`.
 */
import type { Clock } from '../base/clock';
import { type Random, randomUuid, ZERO_UUID } from '../base/random';
import { err, ok, type Result } from '../base/result';
import type { ConnectionInfo } from '../base/transport';
import type { ImageSubscriber } from '../cluster/image-publisher';
import type { MetadataImage } from '../cluster/metadata-image';
import { ErrorCode } from '../codec/generated/errors';
import { MalformedMessage } from '../codec/malformed';
import { decompress, isCodec } from '../records/compression';
import type { ClientSoftware } from './client-software';
import { type PushedPoint, readOtlpMetrics } from './otlp-metrics';
import { PushedMetrics } from './pushed-metrics';
import { type ClientAttributes, parseSubscription, type Subscription, type Wanted, wantedOf } from './subscription';

export interface ClientTelemetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly software: ClientSoftware;
  /** telemetry.max.bytes: of a push, compressed and not. */
  readonly maxBytes: () => number;
  /** For tests. */
  readonly maxInstances?: number;
}

/** Who asks. */
export interface TelemetryClient {
  readonly connection: ConnectionInfo;
  readonly clientId: string;
}

export interface Push {
  readonly clientInstanceId: string;
  readonly subscriptionId: number;
  readonly terminating: boolean;
  /** As in the attributes of batches. */
  readonly compressionType: number;
  readonly metrics: Buffer;
}

/** Since the broker's start. */
export interface TelemetryCounts {
  throttled: number;
  unknownSubscriptions: number;
  pushes: number;
  failedPushes: number;
}

type OwnLabels = Omit<ClientAttributes, 'client_source_address' | 'client_source_port'>;

interface Instance {
  /** What its metrics are labelled with: names that are long are cut. */
  readonly labels: OwnLabels;
  readonly wanted: Wanted;
  /** Of the subscriptions that `wanted` is made of. */
  readonly version: number;
  /** When it last asked and pushed, by the monotonic clock. */
  askedAtMs: number;
  pushedAtMs: number;
  isTerminating: boolean;
  lastError: ErrorCode;
  expiresAtMs: number;
}

const MAX_INSTANCES = 16_384;
const LONGEST_LABEL = 100;
const SHORTEST_LIFE_MS = 60_000;
/** An instance is forgotten after so many intervals of silence. */
const SILENT_INTERVALS = 3;
/** Ids below it are reserved: Kafka's `Uuid.RESERVED`. */
const RESERVED_IDS = 100;
/** These errors call for asking anew at once. */
const ASK_ANEW: ReadonlySet<ErrorCode> = new Set([
  ErrorCode.UNKNOWN_SUBSCRIPTION_ID,
  ErrorCode.UNSUPPORTED_COMPRESSION_TYPE,
]);

export class ClientTelemetry {
  readonly pushed = new PushedMetrics();
  readonly counts: TelemetryCounts = { throttled: 0, unknownSubscriptions: 0, pushes: 0, failedPushes: 0 };
  readonly #o: ClientTelemetryOptions;
  /** The one that was heard of longest ago first. */
  readonly #instances = new Map<string, Instance>();
  /** The instance that was last heard of on each connection. */
  readonly #byConnection = new Map<number, string>();
  #subscriptions: readonly Subscription[] = [];
  #version = 0;

  constructor(options: ClientTelemetryOptions) {
    this.#o = options;
  }

  get instanceCount(): number {
    return this.#instances.size;
  }

  readonly onImage: ImageSubscriber = async ({ changedConfigs }, image) => {
    if (changedConfigs.some(({ scope }) => scope === 'client-metrics')) this.load(image);
  };

  /** Takes the subscriptions of `image`. */
  load(image: MetadataImage): void {
    const configs = image.configured('client-metrics').map((name) => image.configs({ scope: 'client-metrics', name }));
    this.#subscriptions = configs.filter(({ size }) => size > 0).map(parseSubscription);
    this.#version++;
  }

  /** What the client is asked for, with the id it shall go by. */
  ask(client: TelemetryClient, clientInstanceId: string): Result<Wanted & { readonly instanceId: string }, ErrorCode> {
    const instanceId = clientInstanceId === ZERO_UUID ? this.#newId() : clientInstanceId;
    const instance = this.#instance(instanceId, client);
    const nowMs = this.#o.clock.monotonicMs();
    const isDue = nowMs - Math.max(instance.askedAtMs, instance.pushedAtMs) >= instance.wanted.pushIntervalMs;
    if (isDue) instance.askedAtMs = nowMs;
    else if (!ASK_ANEW.has(instance.lastError)) return this.#tooEarly();
    instance.lastError = ErrorCode.NONE;
    return ok({ ...instance.wanted, instanceId });
  }

  push(client: TelemetryClient, push: Push): Result<void, ErrorCode> {
    if (isReserved(push.clientInstanceId)) return err(ErrorCode.INVALID_REQUEST);
    const instance = this.#instance(push.clientInstanceId, client);
    const checked = this.#check(instance, push);
    instance.isTerminating = push.terminating;
    const result = checked.ok && push.metrics.length > 0 ? this.#take(instance, push) : checked;
    instance.lastError = result.ok ? ErrorCode.NONE : result.error;
    return result;
  }

  /** The client of this connection is forgotten; what it pushed stays for its time. */
  onClose({ id }: ConnectionInfo): void {
    const instanceId = this.#byConnection.get(id);
    if (instanceId === undefined) return;
    this.#byConnection.delete(id);
    this.#instances.delete(instanceId);
  }

  #check(instance: Instance, push: Push): Result<void, ErrorCode> {
    if (instance.isTerminating) return err(ErrorCode.INVALID_REQUEST);
    const nowMs = this.#o.clock.monotonicMs();
    // The first push after asking may come at any time: clients spread them.
    const isDue =
      instance.askedAtMs > instance.pushedAtMs || nowMs - instance.pushedAtMs >= instance.wanted.pushIntervalMs;
    if (isDue) instance.pushedAtMs = nowMs;
    else if (!push.terminating) return this.#tooEarly();
    if (push.subscriptionId !== instance.wanted.subscriptionId) {
      this.counts.unknownSubscriptions++;
      return err(ErrorCode.UNKNOWN_SUBSCRIPTION_ID);
    }
    if (!isCodec(push.compressionType)) return err(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE);
    return push.metrics.length > this.#o.maxBytes() ? err(ErrorCode.TELEMETRY_TOO_LARGE) : ok(undefined);
  }

  #take(instance: Instance, { compressionType, metrics }: Push): Result<void, ErrorCode> {
    let points: readonly PushedPoint[];
    const bytes = decompress(compressionType, metrics, this.#o.maxBytes());
    try {
      if (!bytes.ok) throw new MalformedMessage(bytes.message ?? bytes.error);
      points = readOtlpMetrics(bytes.value);
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error;
      this.counts.failedPushes++;
      return err(ErrorCode.INVALID_RECORD, error.message);
    }
    this.counts.pushes++;
    const { labels } = instance;
    this.pushed.onPush(labels.client_instance_id, points, { labels, expiresAtMs: instance.expiresAtMs });
    return ok(undefined);
  }

  #tooEarly(): Result<never, ErrorCode> {
    this.counts.throttled++;
    return err(ErrorCode.THROTTLING_QUOTA_EXCEEDED);
  }

  #newId(): string {
    for (;;) {
      const id = randomUuid(this.#o.random);
      if (!this.#instances.has(id)) return id;
    }
  }

  /** The instance of that id, as the newest; what it is asked for is what the subscriptions now say. */
  #instance(instanceId: string, client: TelemetryClient): Instance {
    this.#expire();
    const known = this.#instances.get(instanceId);
    const instance = known?.version === this.#version ? known : this.#newInstance(instanceId, client);
    const lifeMs = Math.max(SHORTEST_LIFE_MS, SILENT_INTERVALS * instance.wanted.pushIntervalMs);
    instance.expiresAtMs = this.#o.clock.monotonicMs() + lifeMs;
    this.#instances.delete(instanceId);
    this.#instances.set(instanceId, instance);
    this.#byConnection.set(client.connection.id, instanceId);
    return instance;
  }

  #newInstance(instanceId: string, { connection, clientId }: TelemetryClient): Instance {
    const software = this.#o.software.of(connection);
    const attributes: ClientAttributes = {
      client_instance_id: instanceId,
      client_id: clientId,
      client_software_name: software.name,
      client_software_version: software.version,
      client_source_address: connection.peerAddress,
      client_source_port: String(connection.peerPort),
    };
    return {
      labels: {
        client_instance_id: instanceId,
        client_id: cut(clientId),
        client_software_name: cut(software.name),
        client_software_version: cut(software.version),
      },
      wanted: wantedOf(this.#subscriptions, attributes),
      version: this.#version,
      askedAtMs: Number.NEGATIVE_INFINITY,
      pushedAtMs: Number.NEGATIVE_INFINITY,
      isTerminating: false,
      lastError: ErrorCode.NONE,
      expiresAtMs: 0,
    };
  }

  /** Those at the front have been silent for longest; intervals differ, so that some may stay a while longer. */
  #expire(): void {
    const nowMs = this.#o.clock.monotonicMs();
    const most = this.#o.maxInstances ?? MAX_INSTANCES;
    for (const [instanceId, { expiresAtMs }] of this.#instances) {
      if (expiresAtMs > nowMs && this.#instances.size < most) break;
      this.#instances.delete(instanceId);
    }
  }
}

/** A copy, where it is cut: a piece of a text keeps all of it in memory. */
function cut(text: string): string {
  return text.length <= LONGEST_LABEL ? text : Buffer.from(text.slice(0, LONGEST_LABEL)).toString();
}

function isReserved(instanceId: string): boolean {
  const bytes = Buffer.from(instanceId, 'base64url');
  return bytes.subarray(0, 15).every((byte) => byte === 0) && bytes[15]! < RESERVED_IDS;
}
