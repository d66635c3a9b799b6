/** Part of the JavaScript API of WebAssembly that `kernel.ts` uses, which the types of Node leave to those of browsers. */
declare namespace WebAssembly {
  class Memory {
    constructor(size: { initial: number });
    readonly buffer: ArrayBuffer;
  }
  class Module {
    constructor(code: Uint8Array);
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>);
    readonly exports: Record<string, unknown>;
  }
}
