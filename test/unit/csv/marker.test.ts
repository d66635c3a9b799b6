import { expect, it } from 'vitest';
import { isMarker } from '../../../src/csv/marker.js';
import { nearTexts } from './near-texts.js';

const markers = ['NA', 'N/A', 'n/a', 'null', 'NULL', 'NaN', '-', '.', '..', ':'];

it.each(markers)(
  '%s is a null marker, and a text one edit away is one only if it is in the list',
  (marker) => {
    for (const text of nearTexts(marker, 'NAnaulLU/.:-x')) {
      // Between other bytes, as in a record.
      const bytes = Buffer.from(`x${text}N/A`);
      expect(isMarker(bytes, 1, 1 + text.length), text).toBe(markers.includes(text));
    }
  },
);
