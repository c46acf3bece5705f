/**
 * Every call to the disk fails once or from then on while a control store writes, compacts and is opened again: what
 * was acknowledged survives the loss of power, what was not may be there or not, and where there was no room the store
 * goes on by itself.
 */
import { silentLogger } from '../base/logger';
import { FaultyFileSystem, type FaultyOperation } from '../testing/faulty-file-system';
import { seededRandom } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import { EmbeddedControlStore } from './embedded-control-store';

const PATH = '/data/odradek-metadata';
/** Some of these make the journal large enough to be compacted. */
const FILLING = 'x'.repeat(400_000);
const SETS = 4;
/** `FAULT_MATRIX=1` tries every call. */
const STEP = process.env.FAULT_MATRIX === undefined ? 3 : 1;

interface Fault {
  readonly on: FaultyOperation;
  readonly code: string;
  readonly after: number;
  readonly times: number;
}

class Life {
  disk = new FaultyFileSystem(new ManualClock());
  store: EmbeddedControlStore | undefined;
  /** The values that /a may have: the acknowledged one, and those that came after it and were not. */
  possible: string[] = [''];

  async open(): Promise<void> {
    try {
      const opened = await EmbeddedControlStore.open({ storage: this.disk, path: PATH, logger: silentLogger });
      if (opened.ok) this.store = opened.value;
      else throw new Error(`refused: ${opened.error}`);
    } catch (error) {
      // A broker that cannot open its store does not start; its operator starts it again.
      if (!String(error).includes('injected')) throw error;
    }
  }

  async set(text: string): Promise<void> {
    const data = `${text} ${FILLING}`;
    this.possible.push(data);
    const done = await this.store?.multi([{ kind: 'set', path: '/a', data, expectedVersion: -1 }]);
    if (done?.ok) this.possible = [data];
  }

  async run({ losesPower }: { losesPower: boolean }): Promise<void> {
    await this.open();
    const made = await this.store?.multi([{ kind: 'create', path: '/a', data: '' }]);
    if (!made?.ok) this.possible.push('missing');
    for (let i = 0; i < SETS; i++) await this.set(`first ${i}`);
    await this.store?.close();
    this.store = undefined;
    // After a failed fsync the disk may lack what can be read: the machine ends with the process.
    if (losesPower) this.disk = this.disk.crash('synced-only', seededRandom(1));
    await this.open();
    await this.set('second');
  }

  async value(): Promise<string> {
    const found = await this.store!.get('/a');
    return found.ok ? found.value.data : 'missing';
  }
}

async function lifeWith(fault: Fault): Promise<string[]> {
  const life = new Life();
  life.disk.inject(fault);
  await life.run({ losesPower: fault.on === 'sync' || fault.on === 'sync-directory' });
  life.disk.takeNoFaults();
  const wrong: string[] = [];
  const passes = fault.code === 'ENOSPC' && fault.on !== 'sync' && life.store !== undefined;
  if (passes && life.possible.length > 0 && !life.possible.includes('missing')) {
    await life.set('third');
    if (life.possible.length > 1) wrong.push('it does not go on by itself');
  }
  life.disk = life.disk.crash('synced-only', seededRandom(1));
  await life.open();
  const value = await life.value();
  if (!life.possible.includes(value))
    wrong.push(`${value.slice(0, 20)} of ${life.possible.map((one) => one.slice(0, 9))}`);
  return wrong;
}

it.each<[FaultyOperation, string]>([
  ['write', 'ENOSPC'],
  ['write', 'EIO'],
  ['sync', 'EIO'],
  ['truncate', 'EIO'],
  ['rename', 'EIO'],
  ['rename', 'ENOSPC'],
  ['open', 'EIO'],
  ['create', 'ENOSPC'],
  ['sync-directory', 'EIO'],
])(
  'a fault of every %s: %s',
  async (on, code) => {
    const calm = new Life();
    await calm.run({ losesPower: false });
    expect(calm.possible).toEqual([`second ${FILLING}`]);
    const calls = calm.disk.calls.get(on) ?? 0;
    expect(calls).toBeGreaterThan(0);
    const failed: string[] = [];
    for (let after = 0; after < calls; after += STEP) {
      for (const times of [1, Number.POSITIVE_INFINITY]) {
        const wrong = await lifeWith({ on, code, after, times });
        if (wrong.length > 0) failed.push(`${after} ${times}: ${wrong}`);
      }
    }
    expect(failed).toEqual([]);
  },
  600_000,
);
