/** The native functions of the package, without its wrapper. */
declare module '@mongodb-js/zstd/bindings.js' {
  export const compress: (data: Buffer, level: number) => Promise<Buffer>;
  export const decompress: (data: Buffer) => Promise<Buffer>;
}
