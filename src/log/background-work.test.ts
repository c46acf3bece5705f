/** Recurring work: its rhythm, its failures, its end. */
import { ManualClock } from '../testing/manual-clock';
import { RecordingLogger } from '../testing/recording-logger';
import { BackgroundWork } from './background-work';
import { FileSystemError } from './file-system';

describe('BackgroundWork', () => {
  let clock: ManualClock;
  let logger: RecordingLogger;
  let work: BackgroundWork;

  beforeEach(() => {
    clock = new ManualClock();
    logger = new RecordingLogger();
    work = new BackgroundWork({ clock, logger });
  });

  it('comes again after each end, whatever happened, and never for infinity', async () => {
    const errors = [new FileSystemError('ENOSPC', '/x', 'no room'), new Error('a bug'), undefined];
    let runs = 0;
    work.every('it', 100, async () => {
      const error = errors[runs++];
      if (error) throw error;
    });
    work.every('never', Number.POSITIVE_INFINITY, async () => {
      throw new Error('unexpected');
    });
    for (let i = 0; i < 3; i++) await clock.advance(100);
    expect(runs).toBe(3);
    expect(logger.lines.map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'Background work on logs failed'],
      ['error', 'Background work on logs met a bug'],
    ]);
  });

  it('ends with what is under way', async () => {
    let finish = (): void => undefined;
    let runs = 0;
    work.every('it', 100, async () => {
      runs++;
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    await clock.advance(100);
    let closed = false;
    const closing = work.close().then(() => {
      closed = true;
    });
    await clock.advance(1000);
    expect([runs, closed]).toEqual([1, false]);
    finish();
    await closing;
    expect(clock.timerCount).toBe(0);
  });
});
