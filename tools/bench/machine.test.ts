/** Which file system lies under a folder. */
import { fileSystemOf } from './machine';

it('takes the longest mount point that leads to the folder', () => {
  const mounts = ['/dev/a / ext4 rw', 'tmpfs /tmp tmpfs rw', 'x /tmpfiles xfs rw', ''].join('\n');
  expect(fileSystemOf('/tmp/x', mounts)).toBe('tmpfs');
  expect(fileSystemOf('/tmp', mounts)).toBe('tmpfs');
  expect(fileSystemOf('/tmpother', mounts)).toBe('ext4');
  expect(fileSystemOf('/x', '')).toBe('unknown');
});
