/** Calls of the C library, and the way they fail. */
import { loadNativeLibrary } from './native-library';

describe('loadNativeLibrary', () => {
  it('calls functions of the C library and tells why they failed', () => {
    const library = loadNativeLibrary();
    if (typeof library === 'string') throw new Error(library);
    expect(library.func('int abs(int value)')(-5)).toBe(5);
    expect(library.func('int close(int fd)')(-1)).toBe(-1);
    expect(library.errno()).toBe(library.errnoCodes.EBADF);
    expect(() => library.func('int odradek_is_no_function(void)')).toThrow();
  });

  it('shows the memory at an address', () => {
    const library = loadNativeLibrary();
    if (typeof library === 'string') throw new Error(library);
    const address = Number(library.func('int64_t malloc(size_t size)')(100));
    library.func('int64_t memset(int64_t address, int value, size_t size)')(address, 7, 100);
    const bytes = library.view(address, 100);
    expect(bytes).toEqual(Buffer.alloc(100, 7));
    bytes[99] = 1;
    expect(library.func('int memcmp(int64_t one, void *other, size_t size)')(address, Buffer.alloc(100, 7), 99)).toBe(
      0,
    );
    expect(
      library.func('int memcmp(int64_t one, void *other, size_t size)')(address, Buffer.alloc(100, 7), 100),
    ).not.toBe(0);
    library.func('void free(int64_t address)')(address);
  });

  it('loads other libraries, and says which one is not there', () => {
    const math = loadNativeLibrary('libm.so.6');
    if (typeof math === 'string') throw new Error(math);
    expect(math.func('double floor(double value)')(3.5)).toBe(3);
    expect(loadNativeLibrary('libodradek-is-none.so')).toMatch(/^libodradek-is-none.so cannot be loaded: /);
  });

  it('says why without the optional package', () => {
    jest.isolateModules(() => {
      jest.doMock('koffi', () => {
        throw new Error('no binary');
      });
      const isolated = require('./native-library') as typeof import('./native-library');
      expect(isolated.loadNativeLibrary()).toBe('koffi cannot be loaded: no binary');
      jest.dontMock('koffi');
    });
  });
});
