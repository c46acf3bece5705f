/** Messages as lines of JSON: both ways, what JSON has no word for, and what is wrong. */
import { answerMessageLine } from './message-lines';

function ask(question: object): { hex?: string; message?: Record<string, unknown>; error?: string } {
  return JSON.parse(answerMessageLine(JSON.stringify(question)));
}

describe('answerMessageLine', () => {
  it('turns bytes into a message and back', () => {
    const about = { api: 'Heartbeat', version: 0, type: 'request' };
    const hex = '0001670000000500016d';
    const { message } = ask({ ...about, hex });
    expect(message).toMatchObject({ groupId: 'g', generationId: 5, memberId: 'm' });
    expect(ask({ ...about, message })).toEqual({ hex });
  });

  it('keeps bytes and every int64', () => {
    const about = { api: 'SyncGroup', version: 0, type: 'response' };
    const { message } = ask({ ...about, hex: '000000000002ff00' });
    expect(message).toMatchObject({ assignment: '/wA=' });
    expect(ask({ ...about, message })).toEqual({ hex: '000000000002ff00' });
  });

  it('leaves out what the version lacks, and fills in what a message leaves out', () => {
    const about = { api: 'JoinGroup', version: 0, type: 'request' };
    const message = { groupId: 'g', sessionTimeoutMs: 6, memberId: '', protocolType: 'consumer', protocols: [] };
    const { hex } = ask({ ...about, message });
    expect(ask({ ...about, hex })).toEqual({ message });
    expect(ask({ ...about, message: { groupId: 'g' } }).hex).toBe('000167000000000000000000000000');
  });

  it('keeps every int64', () => {
    const offsets = { api: 'OffsetCommit', version: 0, type: 'request' };
    for (const offset of [
      '7fffffffffffffff',
      '8000000000000000',
      '0020000000000000',
      '001fffffffffffff',
      'ffffffffffffffff',
    ]) {
      const hex = `0001670000000100017400000001${'00000000'}${offset}ffff`;
      expect(ask({ ...offsets, message: ask({ ...offsets, hex }).message })).toEqual({ hex });
    }
  });

  it.each([
    [{ api: 'NoSuch', version: 0, type: 'request', hex: '' }, 'no API is called NoSuch'],
    [{ api: 'Heartbeat', version: 0, type: 'both', hex: '' }, 'request or response'],
    [{ api: 'Heartbeat', version: 0, type: 'response', hex: '000000' }, '1 bytes are left over'],
    [{ api: 'Heartbeat', version: 99, type: 'response', hex: '0000' }, 'Heartbeat has versions 0 to 4, not 99'],
    [{ api: 'Heartbeat', version: '0', type: 'response', hex: '0000' }, 'Heartbeat has versions 0 to 4, not 0'],
    [{ api: 'Heartbeat', version: 0, type: 'response', hex: '000' }, 'even number of hex digits'],
    [{ api: 'Heartbeat', version: 0, type: 'response', message: null }, 'HeartbeatResponse is not an object: null'],
    [{ api: 'Heartbeat', version: 0, type: 'request', message: { groupInstanceId: 'i' } }, 'in a version without it'],
    [{ api: 'Heartbeat', version: 0, type: 'response', hex: '00' }, ''],
  ])('%j → %s', (question, error) => {
    expect(ask(question).error).toContain(error);
  });

  it('says when a line is no JSON', () => {
    expect(answerMessageLine('{')).toContain('"error"');
  });
});
