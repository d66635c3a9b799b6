export interface ReadContext {
  readonly queryId: string;
  readonly signal: AbortSignal;
}
