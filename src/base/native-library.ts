/**
 * The C library of this process, through koffi, which comes prebuilt and is optional. Owns the loading: koffi is used
 * here only, and loaded at the first call. What is called, and what stands in for it, is the callers'.
 */

export type NativeFunction = (...parameters: unknown[]) => unknown;

/** A type of koffi's. */
export type NativeType = string | object;

export interface NativeLibrary {
  /** By a declaration in C, or by name, result and parameters. Throws where the library has no such function. */
  func(declaration: string): NativeFunction;
  func(name: string, result: NativeType, parameters: readonly NativeType[]): NativeFunction;
  /** A parameter that points to a structure, given as an object of these fields. */
  pointerTo(fields: Readonly<Record<string, NativeType>>): NativeType;
  /** Of the last call. */
  errno(): number;
  readonly errnoCodes: Readonly<Record<string, number>>;
}

interface Koffi {
  load(path: null): Pick<NativeLibrary, 'func'>;
  struct(fields: Readonly<Record<string, NativeType>>): object;
  pointer(type: object): object;
  errno(): number;
  readonly os: { readonly errno: Readonly<Record<string, number>> };
}

/** The library, or the reason why it cannot be called. */
export function loadNativeLibrary(): NativeLibrary | string {
  let koffi: Koffi;
  try {
    koffi = require('koffi') as Koffi;
  } catch (error) {
    // Optional by design: absent where there is no binary for the platform or optional packages were left out.
    return `koffi cannot be loaded: ${error instanceof Error ? error.message : String(error)}`;
  }
  const library = koffi.load(null);
  return {
    func: library.func.bind(library) as NativeLibrary['func'],
    pointerTo: (fields) => koffi.pointer(koffi.struct(fields)),
    errno: () => koffi.errno(),
    errnoCodes: koffi.os.errno,
  };
}
