/** Status of the response, or each of them, and what the code means. */
export type CodeMeaning = readonly [status: number | readonly number[], meaning: string];

export type CodeList = Readonly<Record<string, CodeMeaning>>;
