interface BuildOptions {
  /** Folder of the programs. @default dist */
  readonly folder?: string;
  /** Leaves out `npm start` with its embedded servers. */
  readonly production?: boolean;
}
/** Builds the programs, and writes the id of the commit next to them. */
export declare const buildPrograms: (options?: BuildOptions) => Promise<void>;
/** Builds the programs and the web app. */
export declare const buildAll: (options?: BuildOptions) => Promise<void>;
