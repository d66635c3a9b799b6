/**
 * Position of a row in its dataset: the number of its upload times 2^35, plus the number of its record in the file, from 0. A row keeps its
 * position in every copy. Uploads are numbered in the order in which they are published, so positions are the reading order of every
 * version.
 *
 * A position may exceed 2^53, so it is sent as text, or as an upload number, and never as a JavaScript number.
 */

/** Maximum records of one file, and so positions of one upload. */
export const recordsPerUpload = 2 ** 35;

/** Maximum uploads of one dataset, including column merges. */
export const uploadsPerDataset = 2 ** 28;
