import { describe, expect, it } from 'vitest';
import { metadataLevel, wantsNumbersAsText } from '../../../src/odata/options.js';

const json = (level: string): string => `application/json;odata.metadata=${level}`;

describe('the level of metadata', () => {
  it.each([
    [undefined, 'minimal'],
    ['*/*', 'minimal'],
    [json('full'), 'full'],
    [`application/atom+xml, ${json('NONE')}`, 'none'],
    [`application/json; odata.metadata="full"`, 'full'],
    // The type with the highest q, wherever it is in the list.
    [`${json('full')};q=0.5, ${json('none')}`, 'none'],
    [`${json('full')};q=0.2,${json('minimal')};q=0.3,${json('none')};q=0.9`, 'none'],
    [`${json('none')}; Q = 0.1, */*;q=0.8, ${json('full')};q=0.7`, 'full'],
    // The first of types with the same q.
    [`${json('full')},${json('none')}`, 'full'],
    [`${json('none')};q=0.5,${json('full')};q=0.5`, 'none'],
    [json('some'), 'minimal'],
  ])('for Accept: %s is %s', (accept, level) => {
    expect(metadataLevel(undefined, accept)).toBe(level);
  });

  it('is that of $format if there is one', () => {
    expect(metadataLevel(json('none'), json('full'))).toBe('none');
    expect(metadataLevel('json', json('full'))).toBe('minimal');
  });
});

describe('numbers as texts', () => {
  it('are requested by IEEE754Compatible=true, in $format rather than Accept if there is one', () => {
    expect(wantsNumbersAsText(undefined, 'application/json;IEEE754Compatible=true')).toBe(true);
    expect(wantsNumbersAsText(undefined, 'application/json;IEEE754Compatible=false')).toBe(false);
    expect(wantsNumbersAsText('application/json;ieee754compatible="true"', undefined)).toBe(true);
    expect(wantsNumbersAsText('json', 'application/json;IEEE754Compatible=true')).toBe(false);
    expect(wantsNumbersAsText(undefined, undefined)).toBe(false);
  });
});
