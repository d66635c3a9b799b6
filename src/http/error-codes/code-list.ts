/** Status or statuses of the response, and the meaning of the code. */
export type CodeMeaning = readonly [status: number | readonly number[], meaning: string];

export type CodeList = Readonly<Record<string, CodeMeaning>>;
