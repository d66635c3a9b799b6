/**
 * A chunk that can never be stored: retries do not help.
 *
 *   forged   the message did not come from the API: it says nothing about the upload that it names
 *   content  the message is the one that was sent, and cannot be used
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
