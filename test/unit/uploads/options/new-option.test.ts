/** Follows the walkthrough "An upload option" in CONTRIBUTING: one record and one field, and no other change. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { formOf } from '../../../../src/http/routes/upload-schema.js';
import { runAtOnce } from '../../../../src/lib/time-slicing.js';
import { flag } from '../../../../src/uploads/options/option.js';
import type { StoredOptions } from '../../../../src/uploads/options/stored-options.js';
import {
  type OptionTable,
  type UploadOptions,
  uploadOptions,
} from '../../../../src/uploads/options/table.js';
import { storedOptions, uploadOptionSteps } from '../../../../src/uploads/options/upload-options.js';

interface NewOptions extends UploadOptions {
  readonly trim: boolean;
}
interface NewStored extends StoredOptions {
  readonly trim?: true;
}

const table: OptionTable<NewOptions> = {
  ...uploadOptions,
  trim: {
    ...flag('`true`: blanks around values are removed.'),
    absent: false,
    stored: (trim): NewStored => (trim ? { trim } : {}),
  },
};

const read = (given: Record<string, string>): NewOptions =>
  runAtOnce(
    uploadOptionSteps(
      Object.entries(given).map(([name, value]) => ({ name, value })),
      table,
    ),
  );

describe('a new record in the table of upload options', () => {
  it('is read by the parser', () => {
    expect(read({}).trim).toBe(false);
    expect(read({ trim: 'true' }).trim).toBe(true);
    expect(() => read({ trim: 'perhaps' })).toThrow('Option trim: must be one of true, false.');
    expect(() => read({ trimm: 'true' })).toThrow(/did you mean trim\?/);
  });

  it('is a field of the form that OpenAPI describes', () => {
    const form = formOf(table);
    expect(form.parse({ trim: 'true' })).toEqual({ trim: 'true' });
    expect(z.globalRegistry.get(form.shape.trim!)).toMatchObject({
      openapi: { type: 'boolean', description: '`true`: blanks around values are removed.' },
    });
  });

  it('is stored in the layout, and listed among the options that workers must know', () => {
    expect(storedOptions(read({ trim: 'true' }), table)).toMatchObject({ trim: true, needs: ['trim'] });
    expect(storedOptions(read({}), table)).not.toHaveProperty('trim');
  });
});
