/** Compiles `assembly/` and writes it to `src/csv/kernel-code.ts`: `npm run kernel`. */
import { writeFile } from 'node:fs/promises';
import { compileKernel } from './compile-kernel.js';

await writeFile('src/csv/kernel-code.ts', await compileKernel());
