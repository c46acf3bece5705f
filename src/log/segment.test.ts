/** One segment: finding, cutting, rolling, and indexes that prove wrong. */
import fc from 'fast-check';
import type { LogConfig } from '../config/log-config';
import * as batchHeader from '../records/batch-header';
import { batchOf, logConfig } from '../testing/log-fixture';
import { ManualClock } from '../testing/manual-clock';
import { MemoryFileSystem } from './memory-file-system';
import { OpenFiles } from './open-files';
import { Segment } from './segment';
import type { SegmentOptions } from './segment-options';
import { shouldRoll } from './segment-roll';

describe('Segment', () => {
  let disk: MemoryFileSystem;
  let options: SegmentOptions;

  beforeEach(() => {
    disk = new MemoryFileSystem(new ManualClock());
    disk.createDirectory('/d');
    const files = new OpenFiles(disk, 10);
    options = { files, directory: '/d', createdMs: 0, indexIntervalBytes: 200, rollJitterMs: 0 };
  });

  function add(segment: Segment, batch: Buffer): void {
    options.files.forWriting(segment.logPath).write(batch, segment.sizeInBytes);
    segment.noteAppended({
      sizeInBytes: batch.length,
      lastOffset: batchHeader.lastOffset(batch),
      maxTimestampMs: batchHeader.maxTimestamp(batch),
    });
  }

  /** Batches of the given record counts and value sizes; gives their positions by offset. */
  function fill(
    segment: Segment,
    shapes: readonly { count: number; bytes: number }[],
  ): { base: number; position: number }[] {
    let base = 100;
    return shapes.map(({ count, bytes }) => {
      const place = { base, position: segment.sizeInBytes };
      add(
        segment,
        batchOf(
          Array.from({ length: count }, () => 'x'.repeat(bytes)),
          { baseOffset: base, timestamp: base },
        ),
      );
      base += count;
      return place;
    });
  }

  function reload(): Segment {
    const size = (suffix: string): number | undefined => disk.stat(`/d/00000000000000000100${suffix}`)?.size;
    return new Segment(options, 100, {
      log: size('.log') ?? 0,
      offsetIndex: size('.index'),
      timeIndex: size('.timeindex'),
    });
  }

  it('looks up the place of a reader once: it goes on where it stopped, wherever that is', () => {
    const written = new Segment(options, 100, { log: 0 });
    const places = fill(
      written,
      Array.from({ length: 60 }, (_, i) => ({ count: 1 + (i % 3), bytes: 100 + 40 * (i % 4) })),
    );
    written.writeIndexes();
    const end = written.sizeInBytes;
    for (const maxBytes of [250, 600, 1000, 3000]) {
      const segment = reload();
      const lookUps = jest.spyOn(segment.offsetIndex, 'floorByOffset');
      for (let offset = places[10]!.base; ; ) {
        const read = segment.read({ offset, maxBytes, limit: end, minOneBatch: true })!;
        expect(read.position).toBe(places.find(({ base }) => base >= offset)?.position);
        const next = places.find(({ position }) => position === read.position + read.sizeInBytes);
        if (!next) break;
        expect(read.nextOffset).toBe(next.base);
        offset = next.base;
      }
      expect(lookUps).toHaveBeenCalledTimes(1);
    }
  });

  it('finds every offset and every border, fresh or read back', () => {
    const shape = fc.record({ count: fc.integer({ min: 1, max: 5 }), bytes: fc.integer({ min: 1, max: 300 }) });
    fc.assert(
      fc.property(fc.array(shape, { minLength: 1, maxLength: 60 }), fc.nat(3000), (shapes, maxBytes) => {
        disk.writeFile('/d/00000000000000000100.index', Buffer.alloc(0));
        disk.writeFile('/d/00000000000000000100.timeindex', Buffer.alloc(0));
        options.files.closeAll();
        const segment = Segment.create(options, 100);
        const places = fill(segment, shapes);
        segment.writeIndexes();
        for (const candidate of [segment, reload()]) {
          const end = candidate.sizeInBytes;
          for (const [i, { base, position }] of places.entries()) {
            const next = places[i + 1] ?? { base: base + shapes[i]!.count, position: end };
            for (let offset = base; offset < next.base; offset++) expect(candidate.positionOf(offset)).toBe(position);
            const read = candidate.read({ offset: base, maxBytes, limit: end, minOneBatch: true })!;
            const borders = [...places.map((place) => place.position), end];
            const reachable = borders.filter((border) => border > position && border <= position + maxBytes);
            expect([read.position, read.position + read.sizeInBytes]).toEqual([
              position,
              reachable.at(-1) ?? next.position,
            ]);
          }
          expect(candidate.positionOf(10_000)).toBeUndefined();
        }
      }),
      { numRuns: 40 },
    );
  });

  it('does not trust an index that contradicts the log', () => {
    const segment = Segment.create(options, 100);
    const places = fill(
      segment,
      Array.from({ length: 40 }, () => ({ count: 1, bytes: 50 })),
    );
    segment.becomeInactive();
    const path = '/d/00000000000000000100.index';
    const right = disk.readFile(path);
    const wrong = Buffer.from(right);
    for (let at = 4; at < wrong.length; at += 8) wrong.writeInt32BE(wrong.readInt32BE(at) + 7, at);
    disk.writeFile(path, wrong);
    const damaged = reload();
    for (const { base, position } of places) expect(damaged.positionOf(base)).toBe(position);
    damaged.writeIndexes();
    expect(disk.readFile(path).equals(right)).toBe(true);
  });

  it('is cut with its indexes and largest timestamp', () => {
    const segment = Segment.create(options, 100);
    const places = fill(
      segment,
      Array.from({ length: 40 }, () => ({ count: 1, bytes: 50 })),
    );
    segment.truncateTo(120);
    expect([segment.sizeInBytes, segment.maxTimestampMs]).toEqual([places[20]!.position, 119]);
    expect([segment.offsetIndex.last.offset < 120, segment.timeIndex.last.offset < 120]).toEqual([true, true]);
    expect(segment.positionOf(120)).toBeUndefined();
    add(segment, batchOf(['new'], { baseOffset: 120, timestamp: 5 }));
    expect([segment.positionOf(120), segment.maxTimestampMs]).toEqual([places[20]!.position, 119]);
    segment.truncateTo(100);
    expect([segment.sizeInBytes, segment.maxTimestampMs, segment.offsetIndex.count]).toEqual([0, -1, 0]);
  });

  describe('rolls', () => {
    const rolls = (segment: Segment, changes: Partial<LogConfig>, { batch = {}, pending = {} } = {}): boolean =>
      shouldRoll(
        segment,
        { sizeInBytes: 100, lastOffset: 300, maxTimestampMs: 5000, ...batch },
        { bytes: 0, batches: 0, nowMs: 9000, config: logConfig(changes), ...pending },
      );

    it('when the batch does not fit, with what is about to be written before it', () => {
      const segment = Segment.create(options, 100);
      expect([
        rolls(segment, { segmentBytes: 50 }),
        rolls(segment, { segmentBytes: 120 }, { pending: { bytes: 21 } }),
      ]).toEqual([false, true]);
      add(segment, batchOf(['x'.repeat(30)], { baseOffset: 100 }));
      const size = segment.sizeInBytes;
      expect([rolls(segment, { segmentBytes: size + 100 }), rolls(segment, { segmentBytes: size + 99 })]).toEqual([
        false,
        true,
      ]);
    });

    it('when the first record is old by the time of the new one, or by the clock where it has none', () => {
      const segment = Segment.create(options, 100);
      add(segment, batchOf(['x'], { baseOffset: 100, timestamp: 4000 }));
      expect([rolls(segment, { segmentMs: 1000 }), rolls(segment, { segmentMs: 999 })]).toEqual([false, true]);
      const lag = { cleanupCompact: true, maxCompactionLagMs: 999 };
      expect([rolls(segment, lag), rolls(segment, { ...lag, cleanupCompact: false })]).toEqual([true, false]);
      expect(rolls(reload(), { segmentMs: 999 })).toBe(true);
      const untimed = Segment.create({ ...options, createdMs: 8500 }, 100);
      add(untimed, batchOf(['x'], { baseOffset: 100, timestamp: -1 }));
      expect([rolls(untimed, { segmentMs: 500 }), rolls(untimed, { segmentMs: 499 })]).toEqual([false, true]);
    });

    it('earlier by its jitter', () => {
      const segment = Segment.create({ ...options, rollJitterMs: 300 }, 100);
      add(segment, batchOf(['x'], { baseOffset: 100, timestamp: 4000 }));
      expect([rolls(segment, { segmentMs: 1300 }), rolls(segment, { segmentMs: 1299 })]).toEqual([false, true]);
    });

    it('when an offset is too far from its base, even when empty', () => {
      const segment = Segment.create(options, 100);
      expect(rolls(segment, {}, { batch: { lastOffset: 100 + 2 ** 31 - 1 } })).toBe(false);
      expect(rolls(segment, {}, { batch: { lastOffset: 100 + 2 ** 31 } })).toBe(true);
    });
  });

  it('takes a timestamp beyond 2^53 as that', () => {
    const segment = Segment.create(options, 100);
    for (let i = 0; i < 3; i++) add(segment, batchOf(['x'.repeat(300)], { baseOffset: 100 + i, timestamp: i }));
    segment.noteAppended({ sizeInBytes: 0, lastOffset: 103, maxTimestampMs: 2 ** 63 });
    segment.becomeInactive();
    expect(segment.timeIndex.last.timestampMs).toBe(Number.MAX_SAFE_INTEGER);
  });
});
