/**
 * Plays group scripts: plain text in which each line at the margin is an operation and the indented lines under it are
 * its effects, exactly. One file holds several scenarios, each headed by `== title`. Time is data: `wait 5000` runs the
 * timers that fall due; `restart` replays the records into a fresh shard.
 *
 *     == a member joins
 *     a join v=3 protocols=range:x
 *     wait 0
 *       a: joined gen=1 protocol=range leader=a-1 members=a-1(x)
 *
 * Clients are letters or words; each remembers the member id and generation that it was told. Their member ids are
 * `client-N`, N counting joins. The operations are in `group-script-operations.ts`, the effects in
 * `group-script-effects.ts`.
 */
import { readFileSync } from 'node:fs';
import { assert } from '../base/assert';
import { silentLogger } from '../base/logger';
import type { GroupConfig } from '../coordinator/group/group-config';
import type { GroupOperation } from '../coordinator/group/group-operation';
import { type GroupRecord, groupRecordCodec } from '../coordinator/group/group-records';
import { GroupShard } from '../coordinator/group/group-shard';
import type { Effects } from '../coordinator/shard';
import { describeRecord, describeResponse } from './group-script-effects';
import { type Asked, parseOperation, type ScriptClient } from './group-script-operations';

interface Scenario {
  readonly title: string;
  readonly text: string;
}

/** One test per scenario of a script file: it must give, line by line, what it says. */
export function playScenarios(path: string): void {
  for (const { title, text } of readScenarios(path)) it(title, () => expect(GroupScript.run(text)).toBe(text));
}

function readScenarios(path: string): Scenario[] {
  return readFileSync(path, 'utf8')
    .split(/^== /m)
    .slice(1)
    .map((part) => {
      const [title = '', ...rest] = part.split('\n');
      return { title, text: rest.join('\n').trimEnd() };
    });
}

const START_MS = 1_000_000;

const DEFAULTS: GroupConfig = {
  minSessionTimeoutMs: 6000,
  maxSessionTimeoutMs: 1_800_000,
  initialRebalanceDelayMs: 0,
  maxSize: 100,
  offsetMetadataMaxLength: 8,
  offsetsRetentionMs: 60_000,
  offsetsRetentionCheckIntervalMs: 10_000,
  maxRecordBytes: 100_000,
};

function makeShard(config: GroupConfig): GroupShard {
  return new GroupShard({ config, logger: silentLogger, retainsOffsets: () => config.offsetsRetentionMs < 0 });
}

interface RunningTimer {
  readonly at: number;
  readonly order: number;
  readonly op: GroupOperation;
}

class GroupScript {
  readonly #clients = new Map<string, ScriptClient>();
  readonly #asked = new Map<number, Asked>();
  readonly #timers = new Map<string, RunningTimer>();
  readonly #log: GroupRecord[] = [];
  #config = DEFAULTS;
  #nowMs = START_MS;
  #order = 0;
  #joins = 0;
  #shard = makeShard(DEFAULTS);
  #output: string[] = [];

  /** The scenario with the effects that its operations really have. */
  static run(text: string): string {
    const script = new GroupScript();
    script.#restart();
    for (const line of text.split('\n')) {
      if (line.startsWith(' ')) continue;
      script.#output.push(line);
      if (line !== '' && !line.startsWith('#')) script.#play(line);
    }
    return script.#output.join('\n').trimEnd();
  }

  #play(line: string): void {
    const [verb = '', ...rest] = line.split(' ');
    if (verb === 'config') this.#configure(rest);
    else if (verb === 'wait') this.#wait(Number(rest[0]));
    else if (verb === 'restart') this.#restart();
    else this.#ask(line);
  }

  #configure(settings: readonly string[]): void {
    for (const setting of settings) {
      const [key = '', value] = setting.split('=');
      assert(key in DEFAULTS, `there is no setting ${key}`);
      this.#config = { ...this.#config, [key]: Number(value) };
    }
    this.#restart();
  }

  #ask(line: string): void {
    const id = this.#asked.size + 1;
    const context = { token: { id }, nowMs: this.#nowMs, client: (name: string) => this.#client(name) };
    const asked = parseOperation(line, { ...context, memberIdSuffix: () => String(++this.#joins) });
    this.#asked.set(id, asked);
    this.#take(this.#shard.handle(asked.op, this.#nowMs));
  }

  #client(name: string): ScriptClient {
    const client = this.#clients.get(name) ?? { name, memberId: '', generationId: -1 };
    this.#clients.set(name, client);
    return client;
  }

  #wait(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (;;) {
      const due = [...this.#timers].filter(([, { at }]) => at <= endMs);
      due.sort(([, a], [, b]) => a.at - b.at || a.order - b.order);
      const [next] = due;
      if (!next) break;
      const [key, { at, op }] = next;
      this.#timers.delete(key);
      this.#nowMs = Math.max(this.#nowMs, at);
      const effects = this.#shard.handle(op, this.#nowMs);
      if (op.kind !== 'expire-offsets' || effects.records.length > 0) {
        const who = op.kind === 'session-expired' ? ` ${op.memberId}` : '';
        this.#say(`+${this.#nowMs - START_MS} ${op.kind}${who}`);
      }
      this.#take(effects);
    }
    this.#nowMs = endMs;
  }

  /** Replays what was written, through bytes, as after a crash. Parked requests are lost, as their connections are. */
  #restart(): void {
    this.#timers.clear();
    this.#shard = makeShard(this.#config);
    for (const [offset, record] of this.#log.entries()) {
      const { key, value } = groupRecordCodec.encode(record);
      const decoded = groupRecordCodec.decode(key, value);
      assert(decoded !== undefined, 'what is written can be read');
      this.#shard.apply(decoded, { offset, producerId: -1 });
    }
    this.#take(this.#shard.onLoaded(this.#nowMs));
  }

  #take(effects: Effects<GroupOperation, GroupRecord>): void {
    for (const record of effects.records) {
      this.#say(describeRecord(record));
      this.#shard.apply(record, { offset: this.#log.length, producerId: -1 });
      this.#log.push(record);
    }
    for (const change of effects.timers) {
      if (change.at === null) this.#timers.delete(change.key);
      else this.#timers.set(change.key, { at: change.at, order: this.#order++, op: change.op });
    }
    for (const { to, response } of effects.replies) {
      const asked = this.#asked.get(to.id);
      assert(asked !== undefined, 'a reply answers a request');
      for (const line of describeResponse(asked, response)) this.#say(line);
    }
  }

  #say(line: string): void {
    this.#output.push(`  ${line}`);
  }
}
