/** How tests and benchmarks reach kafkajs's hand-written encoders and decoders, which its package does not offer. */
import { readdirSync } from 'node:fs';
import path from 'node:path';

const protocol = path.join(path.dirname(require.resolve('kafkajs/package.json')), 'src/protocol');

export interface KafkajsEncoder {
  readonly buffer: Buffer;
}

export interface KafkajsRequest {
  encode(): Promise<KafkajsEncoder>;
}

export interface KafkajsCall {
  readonly request: KafkajsRequest;
  readonly response: { decode(raw: Buffer): Promise<Record<string, unknown>> };
}

/** One folder an API, `joinGroup` for instance. */
export function kafkajsFolders(): string[] {
  return readdirSync(path.join(protocol, 'requests'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}

export function kafkajsVersions(folder: string): number[] {
  const names = readdirSync(path.join(protocol, 'requests', folder)).filter((name) => /^v\d+$/.test(name));
  return names.map((name) => Number(name.slice(1))).sort((left, right) => left - right);
}

/** `values` as kafkajs names them. */
export function kafkajsCall(folder: string, version: number, values: unknown): KafkajsCall {
  const { protocol: versions } = require(path.join(protocol, 'requests', folder)) as {
    protocol: (choice: { version: number }) => (values: unknown) => KafkajsCall;
  };
  return versions({ version })(values);
}

/** A whole request as kafkajs sends it, the length in front. */
export async function kafkajsFrame(request: KafkajsRequest, correlationId: number, clientId: string): Promise<Buffer> {
  const frameOf = require(path.join(protocol, 'request.js')) as (parts: object) => Promise<KafkajsEncoder>;
  return (await frameOf({ request, correlationId, clientId })).buffer;
}
