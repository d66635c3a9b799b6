import asc from 'assemblyscript/asc';

const source = 'assembly/csv.ts';

/** @returns the text of `src/csv/kernel-code.ts` */
export const compileKernel = async (): Promise<string> => {
  let code: string | Uint8Array | undefined;
  const { error, stderr } = await asc.main(
    [
      source,
      ...'--optimizeLevel 3 --noAssert --runtime stub --enable simd --importMemory'.split(' '),
      '-o',
      'kernel.wasm',
    ],
    {
      writeFile: (_name, contents) => {
        code = contents;
      },
    },
  );
  if (error !== null || code === undefined)
    throw new Error(`${source} does not compile: ${stderr.toString()}`);
  const lines =
    Buffer.from(code)
      .toString('base64')
      .match(/.{1,100}/g) ?? [];
  return `/** Compiled from \`${source}\` by \`npm run kernel\`. */\nexport const kernelCode =\n${lines.map((line) => `  '${line}'`).join(' +\n')};\n`;
};
