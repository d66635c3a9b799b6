/**
 * A chunk that can never be stored, so retries do not help.
 *
 *   forged   the message did not come from the API, so it must not affect the upload that it names
 *   content  the message is authentic but cannot be used
 */
export class ChunkFault extends Error {
  override readonly name = 'ChunkFault';

  constructor(
    readonly kind: 'forged' | 'content',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
