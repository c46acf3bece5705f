/** What a log says of causes that pass: once when one begins, once when it is over. */
import { RecordingLogger } from '../testing/recording-logger';
import { FileSystemError } from './file-system';
import { PassingTrouble } from './passing-trouble';

it('says each cause once, and once that it is over', () => {
  const logger = new RecordingLogger();
  const trouble = new PassingTrouble({ environment: { logger }, directory: '/d/t-0' });
  const note = (code: string): void => trouble.note(new FileSystemError(code, '/d/t-0/x.log', `${code}: no`));
  trouble.end();
  for (const code of ['ENOSPC', 'ENOSPC', 'EMFILE', 'EMFILE']) note(code);
  trouble.end();
  trouble.end();
  note('ENOSPC');
  expect(logger.lines.map(({ level, fields }) => [level, fields.error])).toEqual([
    ['warn', 'ENOSPC: no'],
    ['warn', 'EMFILE: no'],
    ['info', undefined],
    ['warn', 'ENOSPC: no'],
  ]);
});
