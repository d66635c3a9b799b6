import { describe, expect, it } from 'vitest';
import { runAtOnce } from '../../../../src/lib/time-slicing.js';
import { parseDigests } from '../../../../src/uploads/options/digest.js';
import { manifestSteps } from '../../../../src/uploads/options/manifest.js';
import {
  dialectOf,
  parseUploadOptions,
  storedOptions,
} from '../../../../src/uploads/options/upload-options.js';
import { decodeText } from '../../../../src/uploads/receive/text-encoding.js';

const parse = (given: Record<string, string>) =>
  parseUploadOptions(Object.entries(given).map(([name, value]) => ({ name, value })));

describe('upload options', () => {
  it('have defaults', () => {
    expect(parse({})).toEqual({
      mode: 'replace',
      manifest: undefined,
      onTypeConflict: undefined,
      onDuplicateKey: 'fail',
      key: undefined,
      dryRun: false,
      onMissingColumn: 'null',
      onNewColumn: 'add',
      onBadRow: 'fail',
      maxBadRows: undefined,
      async: true,
      wait: 30,
      delimiter: undefined,
      quote: '"',
      encoding: 'utf-8',
      decimal: '.',
      nullValues: [],
    });
  });

  it.each([
    [{ maxBadRows: '10', onBadRow: 'quarantine' }, { maxBadRows: { count: 10 } }],
    [{ maxBadRows: '0.5%', onBadRow: 'quarantine' }, { maxBadRows: { percent: 0.5 } }],
    [{ delimiter: 'tab' }, { delimiter: 9 }],
    [
      { delimiter: ';', quote: 'none' },
      { delimiter: 0x3b, quote: 'none' },
    ],
    [{ key: 'A, B', mode: 'sync' }, { key: ['A', ' B'] }],
    [
      { key: '["A,B"]', mode: 'delete', dryRun: 'true' },
      { key: ['A,B'], dryRun: true },
    ],
    [{ nullValues: 'x,y' }, { nullValues: ['x', 'y'] }],
    [
      { nullValues: '["a,b"]', decimal: ',' },
      { nullValues: ['a,b'], decimal: ',' },
    ],
  ])('are read from %j', (given, expected) => {
    expect(parse(given)).toMatchObject(expected);
  });

  it.each([
    [{ mode: 'Append' }, 'mode'],
    [{ maxBadRows: '101%', onBadRow: 'quarantine' }, 'maxBadRows'],
    [{ maxBadRows: '1.5', onBadRow: 'quarantine' }, 'maxBadRows'],
    [{ delimiter: 'a' }, 'delimiter'],
    [{ delimiter: '""' }, 'delimiter'],
    [{ quote: 'none' }, 'quote'],
    [{ wait: '-1', async: 'false' }, 'wait'],
    [{ nullValues: '[1]' }, 'nullValues'],
    [{ nullValues: '["\\u0000"]' }, 'nullValues'],
    [{ nullValues: '["\\ud800"]' }, 'nullValues'],
    [{ nullValues: 'x'.repeat(1_001) }, 'nullValues'],
    [{ onTypeConflict: 'widen' }, 'onTypeConflict'],
    [{ key: 'A' }, 'key'],
    [{ key: 'A,A', mode: 'upsert' }, 'key'],
    [{ key: ',', mode: 'upsert' }, 'key'],
    [{ onNewColumn: 'add', mode: 'delete' }, 'onNewColumn'],
    [{ dryRun: 'maybe' }, 'dryRun'],
    [{ onTypeConflict: 'replace', mode: 'append' }, 'onTypeConflict'],
  ])('are refused with their name: %j', (given, option) => {
    expect(() => parse(given)).toThrow(
      expect.objectContaining({ code: 'invalid_option', details: { option } }),
    );
  });

  it.each([
    [{}, { rules: {}, onBadRow: 'fail' }],
    [
      { onTypeConflict: 'fail' },
      { rules: {}, onBadRow: 'fail', keepsTypes: true, needs: ['onTypeConflict=fail'] },
    ],
    [
      { onTypeConflict: 'fail', mode: 'append' },
      { rules: {}, onBadRow: 'fail' },
    ],
    [
      { onTypeConflict: 'widen', mode: 'append' },
      { rules: {}, onBadRow: 'fail', widen: true, needs: ['onTypeConflict=widen'] },
    ],
    [{ mode: 'upsert' }, { rules: {}, onBadRow: 'fail', onDuplicateKey: 'fail' }],
    [
      { onBadRow: 'quarantine', maxBadRows: '5%', decimal: ',', nullValues: '-' },
      {
        rules: { decimal: ',', nullValues: ['-'] },
        onBadRow: 'quarantine',
        maxBadRows: { percent: 5 },
        needs: ['onBadRow=quarantine', 'maxBadRows', 'decimal=,', 'nullValues'],
      },
    ],
  ])('are stored for workers: %j', (given, stored) => {
    expect(storedOptions(parse(given))).toEqual(stored);
  });

  it.each([
    [{}, undefined],
    [{ delimiter: 'tab' }, { delimiter: 9, quote: 0x22 }],
    [
      { delimiter: ';', quote: 'none' },
      { delimiter: 0x3b, quote: 0 },
    ],
  ])('given as %j result in the dialect %j', (given, dialect) => {
    expect(dialectOf(parse(given))).toEqual(dialect);
  });

  it('are suggested for an unknown name', () => {
    expect(() => parse({ onbadrows: 'fail' })).toThrow(/did you mean onBadRow\?/);
  });
});

describe('a manifest', () => {
  it('keeps its columns unchanged', () => {
    const columns = [{ name: 'a', id: 3, dataType: 'Date', isEntity: true, dateFormat: '%d/%m/%Y' }];
    expect(runAtOnce(manifestSteps(JSON.stringify({ columns })))).toEqual({ columns, unlisted: 'infer' });
  });

  it.each([
    ['[]', /object/],
    ['{"columns": {}}', /array/],
    ['{"columns": [1]}', /columns\[0\]/],
    ['{"columns": [{"name": ""}]}', /name is required/],
    ['{"columns": [{"name": "a", "id": 1.5}]}', /id must be/],
    ['{"columns": [{"name": "a", "dateFormat": "%d"}]}', /no year/],
    ['{"columns": [{"name": "a", "dateFormat": "%Y", "dataType": "String"}]}', /needs dataType Date/],
    ['{"columns": [{"name": "a", "id": 1}, {"name": "b", "id": 1}]}', /id 1 is listed twice/],
    ['{"columns": [{"name": "a", "dateFormat": "%Y%"}]}', /ends in %/],
    ['{"columns": [{"name": "a", "dateFormat": "%Y\\ud800"}]}', /dateFormat is wrong: must be well-formed/],
    ['{"columns": [{"name": "a", "description": "\\ud800"}]}', /description must be well-formed/],
    ['{"columns": [{"name": "a", "description": 1}]}', /description must be a text/],
    ['{"unlisted": "drop"}', /unlisted/],
  ])('is refused: %s', (text, message) => {
    expect(() => runAtOnce(manifestSteps(text))).toThrow(message);
  });
});

describe('checksums', () => {
  const headers = (values: Record<string, string>) => (name: string) => values[name];

  it('of unknown algorithms are ignored next to known ones', () => {
    const md5 = Buffer.alloc(16, 7).toString('base64');
    expect(parseDigests(headers({ digest: `crc32c=AAAA, md5=${md5}` }))).toHaveLength(1);
  });

  it.each([
    { 'content-md5': 'xyz' },
    { digest: 'crc32c=AAAA' },
    { 'repr-digest': 'sha-256=AAAA' },
    { digest: `sha-256=${Buffer.alloc(16).toString('base64')}` },
  ])('that cannot be checked are refused: %j', (values) => {
    expect(() => parseDigests(headers(values))).toThrow(expect.objectContaining({ code: 'invalid_digest' }));
  });
});

describe('text that is not UTF-8', () => {
  const bytesOf = async (encoding: 'windows-1252' | 'utf-16le', pieces: number[][]): Promise<Buffer> => {
    const source = async function* () {
      for (const piece of pieces) yield Buffer.from(piece);
    };
    const out: Buffer[] = [];
    for await (const piece of decodeText(source(), encoding)) out.push(piece);
    return Buffer.concat(out);
  };

  it('is converted from windows-1252, euro sign and dashes included', async () => {
    expect(
      String(
        await bytesOf('windows-1252', [
          [0x80, 0x20],
          [0x96, 0xe4, 0x9f],
        ]),
      ),
    ).toBe('€ –äŸ');
  });

  it('must begin with the byte order mark of its encoding', async () => {
    expect(await bytesOf('utf-16le', [[0xff], [0xfe, 0x61], [0]])).toEqual(
      Buffer.from([0xff, 0xfe, 0x61, 0]),
    );
    await expect(bytesOf('utf-16le', [[0xfe, 0xff]])).rejects.toThrow(/byte order mark/);
    await expect(bytesOf('utf-16le', [[0xff]])).rejects.toThrow(/byte order mark/);
  });
});
