/**
 * The C library of this process and others of the system, through koffi, which comes prebuilt and is optional. Owns the
 * loading: koffi is used here only, and loaded at the first call. What is called, and what stands in for it, is the
 * callers'.
 */

export interface NativeFunction {
  (...parameters: unknown[]): unknown;
  /** In the thread pool; the last parameter is called with (error, result). Not of functions of varying parameters. */
  async?(...parameters: unknown[]): void;
}

/** A type of koffi's. */
export type NativeType = string | object;

export interface NativeLibrary {
  /** By a declaration in C, or by name, result and parameters. Throws where the library has no such function. */
  func(declaration: string): NativeFunction;
  func(name: string, result: NativeType, parameters: readonly NativeType[]): NativeFunction;
  /** A parameter that points to a structure, given as an object of these fields. */
  pointerTo(fields: Readonly<Record<string, NativeType>>): NativeType;
  /** The memory at an address, which must stay for as long as the result does. */
  view(address: number, bytes: number): Buffer;
  /** Of the last call. */
  errno(): number;
  readonly errnoCodes: Readonly<Record<string, number>>;
}

interface Koffi {
  load(path: string | null): Pick<NativeLibrary, 'func'>;
  struct(fields: Readonly<Record<string, NativeType>>): object;
  pointer(type: object): object;
  view(address: number, bytes: number): ArrayBuffer;
  errno(): number;
  readonly os: { readonly errno: Readonly<Record<string, number>> };
}

/**
 * The library of that file name or path, looked for as the system does; null is what this process has loaded already.
 * A string is the reason why it cannot be called.
 */
export function loadNativeLibrary(file: string | null = null): NativeLibrary | string {
  let koffi: Koffi;
  try {
    koffi = require('koffi') as Koffi;
  } catch (error) {
    // Optional by design: absent where there is no binary for the platform or optional packages were left out.
    return `koffi cannot be loaded: ${error instanceof Error ? error.message : String(error)}`;
  }
  let library: ReturnType<Koffi['load']>;
  try {
    library = koffi.load(file);
  } catch (error) {
    return `${file} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`;
  }
  return {
    func: library.func.bind(library) as NativeLibrary['func'],
    pointerTo: (fields) => koffi.pointer(koffi.struct(fields)),
    view: (address, bytes) => Buffer.from(koffi.view(address, bytes)),
    errno: () => koffi.errno(),
    errnoCodes: koffi.os.errno,
  };
}
