import type { CodeList } from './code-list.js';

/** Codes of routes below `/ops`, which only operators may call. */
export const operatorCodes: CodeList = {
  busy: [409, 'Rows of the dataset are being joined. Try again.'],
  chunk_known: [409, 'The upload already has the chunk.'],
  chunks_expired: [409, 'Kafka no longer has some chunks of the upload.'],
  completed: [409, 'The upload has completed.'],
  message_expired: [409, 'Kafka no longer has the message.'],
  newer_upload: [409, 'The upload was sent with options that this release does not know.'],
  not_received: [409, 'The file was not received completely. Send it again.'],
  process_gone: [409, 'The process of the message no longer exists.'],
  chunk_altered: [409, 'Kafka no longer has the file as it was received.'],
  forged_message: [409, 'The message was not sent by this service for that upload.'],
  never_answered: [409, 'The sender of the upload got no answer and must send the file again.'],
  replay_differs: [[409, 500], 'The chunks in Kafka have other rows than the published ones.'],
  rows_joined: [409, 'No version uses exactly the rows of the upload any more.'],
  settled: [409, 'The dead letter has been settled.'],
  still_pending: [409, 'The upload is still pending.'],
  still_undecodable: [409, 'This version cannot decode the message either.'],
  superseded: [409, 'The dataset has a newer version or a pending upload.'],
  unknown_job: [404, 'There is no such job, or no process has started it yet.'],
  unknown_message: [404, 'There is no such dead letter.'],
  unknown_process: [404, 'There is no such upload.'],
};
