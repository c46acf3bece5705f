/** Names of files and directories, made and read back. */
import { DELETED_DIRECTORY_SUFFIX, offsetOfFileName, retiredDirectoryName, segmentFilePath } from './log-file-name';

it('names files by offset, and reads the names back', () => {
  expect(segmentFilePath('/d', 1234, '.log')).toBe('/d/00000000000000001234.log');
  expect(offsetOfFileName('00000000000000001234.log', '.log')).toBe(1234);
  for (const name of ['00000000000000001234.index', 'x.log', '.log', '0000.log.swap', '-0000001.log']) {
    expect(offsetOfFileName(name, '.log')).toBeUndefined();
  }
});

it('keeps names of deleted directories within what a file system takes', () => {
  expect(retiredDirectoryName('t-0', 'f'.repeat(32), DELETED_DIRECTORY_SUFFIX)).toBe(`t-0.${'f'.repeat(32)}-delete`);
  expect(retiredDirectoryName(`${'t'.repeat(249)}-0`, 'f'.repeat(32), DELETED_DIRECTORY_SUFFIX)).toHaveLength(255);
});
