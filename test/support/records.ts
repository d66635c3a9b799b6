import { recordsPerUpload } from '../../src/model/position.js';

/** SQL expression of a row's record number in its file, from 0. */
export const recordSql = `(_row % ${recordsPerUpload})`;
