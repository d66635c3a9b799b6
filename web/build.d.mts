/** Builds the web app into dist/web unless that was made of the same sources. */
export declare const buildWeb: () => Promise<void>;
