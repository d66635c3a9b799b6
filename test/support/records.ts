import { recordsPerUpload } from '../../src/model/position.js';

/** SQL of the number that the record of a row has in its file, from 0. */
export const recordSql = `(_row % ${recordsPerUpload})`;
