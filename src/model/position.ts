/**
 * Position of a row in its dataset: the number of its upload times 2^35, plus the number of its record in the file, from 0. A row
 * keeps it for ever, whatever copies the row. Uploads are numbered in the order in which they are published, so positions are the
 * reading order of every version.
 *
 * A position may exceed 2^53: it travels as text, or as an upload number, and never as a JavaScript number.
 */

/** Records of one file, and so positions of one upload. */
export const recordsPerUpload = 2 ** 35;

/** Uploads of one dataset, column merges among them. */
export const uploadsPerDataset = 2 ** 28;
