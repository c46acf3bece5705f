/** A TCP client for tests that sends any bytes and keeps what comes back, cut into frames where it is asked to. */
import { connect, type Socket } from 'node:net';

const DEADLINE_MS = 5000;
const STEP_MS = 5;

export class RawClient {
  readonly socket: Socket;
  /** The peer has sent its FIN. */
  ended = false;
  closed = false;
  error: Error | undefined;
  #chunks: Buffer[] = [];
  #receivedBytes = 0;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#receivedBytes += chunk.length;
    });
    socket.on('end', () => {
      this.ended = true;
    });
    socket.on('error', (error) => {
      this.error = error;
    });
    socket.on('close', () => {
      this.closed = true;
    });
  }

  /** Connects; with `allowHalfOpen` it keeps its own side open when the peer ends. */
  static open(port: number, o: { host?: string; allowHalfOpen?: boolean } = {}): Promise<RawClient> {
    return new Promise((resolve, reject) => {
      const socket = connect({
        port,
        host: o.host ?? '127.0.0.1',
        allowHalfOpen: o.allowHalfOpen ?? false,
        noDelay: true,
      });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.removeListener('error', reject);
        resolve(new RawClient(socket));
      });
    });
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** The bodies of the whole frames received so far. */
  get frames(): Buffer[] {
    const frames: Buffer[] = [];
    const received = this.#joined();
    for (let at = 0; at + 4 <= received.length; ) {
      const end = at + 4 + received.readInt32BE(at);
      if (end > received.length) break;
      frames.push(received.subarray(at + 4, end));
      at = end;
    }
    return frames;
  }

  #joined(): Buffer {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] ?? Buffer.alloc(0);
  }

  get texts(): string[] {
    return this.frames.map((frame) => frame.toString());
  }

  send(...parts: Buffer[]): void {
    this.socket.write(Buffer.concat(parts));
  }

  /** Waits until `count` frames have come and returns them. */
  async waitFrames(count: number): Promise<Buffer[]> {
    await until(() => this.frames.length >= count, `${count} frames`);
    return this.frames;
  }

  waitClosed(): Promise<void> {
    return until(() => this.closed, 'the connection to close');
  }

  close(): void {
    this.socket.destroy();
  }
}

/** Waits until `condition` holds; fails after five seconds, naming `what`. */
export async function until(condition: () => boolean, what = 'a condition'): Promise<void> {
  for (let waitedMs = 0; !condition(); waitedMs += STEP_MS) {
    if (waitedMs > DEADLINE_MS) throw new Error(`waited in vain for ${what}`);
    await new Promise<void>((resolve) => setTimeout(resolve, STEP_MS));
  }
}
