import { useState } from 'preact/hooks';
import { Confirm } from '../../components/confirm.js';
import { api } from '../../lib/api.js';
import { bytes, count, dateAndTime, duration, timeOf } from '../../lib/format.js';
import { linkTo } from '../../lib/router.js';
import type { PageParams } from '../../pages.js';
import { consoleTexts } from '../../texts/console.js';
import { ConsolePage, Part, ShowLive, StatusNotice, Table } from './console-page.js';
import { useLive } from './live.js';
import type { Chunk, UploadDetails } from './types.js';
import { StateTag } from './uploads.js';

const t = consoleTexts.upload;
const pageSize = 100;

const Facts = ({ upload }: { upload: UploadDetails }) => (
  <dl class="facts">
    <div>
      <dt>{t.facts.dataset}</dt>
      <dd>
        <a href={linkTo('dataset', { id: upload.dataset })}>{upload.name}</a>
      </dd>
    </div>
    <div>
      <dt>{t.facts.account}</dt>
      <dd>{upload.account}</dd>
    </div>
    <div>
      <dt>{t.facts.mode}</dt>
      <dd>{upload.mode ?? '–'}</dd>
    </div>
    <div>
      <dt>{t.facts.attempt}</dt>
      <dd class="number">{upload.attempt}</dd>
    </div>
    <div>
      <dt>{t.facts.bytes}</dt>
      <dd class="number">{bytes(upload.bytes)}</dd>
    </div>
    <div>
      <dt>{t.facts.rows}</dt>
      <dd class="number">{count(upload.rows)}</dd>
    </div>
    <div>
      <dt>{t.facts.rejected}</dt>
      <dd class="number">{count(upload.rejectedRows)}</dd>
    </div>
    <div>
      <dt>{t.facts.version}</dt>
      <dd class="number">{upload.version ?? '–'}</dd>
    </div>
    {upload.leaseUntil !== null && upload.status === 'pending' && (
      <div>
        <dt>{t.facts.lease}</dt>
        <dd>{dateAndTime(upload.leaseUntil)}</dd>
      </div>
    )}
    <div class="whole">
      <dt>{t.facts.request}</dt>
      <dd class="code">{upload.requestId}</dd>
    </div>
  </dl>
);

/** Time of each stage, and the duration until it. */
const Stages = ({ upload }: { upload: UploadDetails }) => {
  const { createdAt, receivedAt, sealedAt, completedAt, status } = upload;
  const begun = timeOf(createdAt).getTime();
  const stages = [
    { text: t.stage.created, at: createdAt },
    sealedAt === null ? { text: t.stage.received, at: receivedAt } : { text: t.stage.sealed, at: sealedAt },
    { text: status === 'failed' ? t.stage.failed : t.stage.completed, at: completedAt },
  ];
  return (
    <ol class="stages">
      {stages.map(({ text, at }) => (
        <li key={text} class={at === null ? 'open' : ''}>
          <strong>{text}</strong>
          <span class="small soft">{at === null ? t.open : dateAndTime(at)}</span>
          {at !== null && at !== createdAt && (
            <span class="small soft took">{t.after(durationText(timeOf(at).getTime() - begun))}</span>
          )}
        </li>
      ))}
    </ol>
  );
};

/** Short durations have tenths of a second. */
const durationText = (milliseconds: number): string =>
  milliseconds < 60_000 ? `${(milliseconds / 1_000).toFixed(1)} s` : duration(milliseconds / 1_000);

const Chunks = ({ id, changed }: { id: string; changed: string }) => {
  const [pages, setPages] = useState(1);
  const found = useLive(
    (signal) =>
      api.get<Chunk[]>(`/ops/uploads/${encodeURIComponent(id)}/chunks`, {
        query: { $top: Math.min(1_000, pages * pageSize) },
        signal,
      }),
    [id, pages, changed],
  );
  const numbers = [t.columns.number, t.columns.rows, t.columns.bytes, t.columns.line];
  return (
    <ShowLive of={found}>
      {(chunks) =>
        chunks.length === 0 ? (
          <p class="soft">{t.noChunks}</p>
        ) : (
          <>
            <Table
              name={t.chunks}
              heads={[
                ...numbers.map((text) => ({ text, number: true as const })),
                t.columns.topic,
                { text: t.columns.partition, number: true },
                { text: t.columns.offset, number: true },
                { text: t.columns.attempt, number: true },
              ]}
            >
              {chunks.map((chunk) => (
                <tr key={chunk.number}>
                  <td class="number">{count(chunk.number)}</td>
                  <td class="number">{count(chunk.rows)}</td>
                  <td class="number">{bytes(chunk.bytes)}</td>
                  <td class="number">{count(chunk.firstLine)}</td>
                  <td class="code">{chunk.topic}</td>
                  <td class="number">{chunk.partition}</td>
                  <td class="number">{chunk.offset}</td>
                  <td class="number">{chunk.attempt === 0 ? t.notStored : chunk.attempt}</td>
                </tr>
              ))}
            </Table>
            {chunks.length === pages * pageSize && chunks.length < 1_000 && (
              <p>
                <button class="button" type="button" onClick={() => setPages(pages + 1)}>
                  {consoleTexts.more}
                </button>
              </p>
            )}
          </>
        )
      }
    </ShowLive>
  );
};

const Screen = ({ id }: { id: string }) => {
  const [notice, setNotice] = useState('');
  const path = `/ops/uploads/${encodeURIComponent(id)}`;
  const found = useLive((signal) => api.get<UploadDetails>(path, { signal }), [id]);
  return (
    <>
      <StatusNotice text={notice} />
      <ShowLive of={found}>
        {(upload) => (
          <>
            <div class="row">
              <StateTag status={upload.status} phase={upload.phase} />
              {upload.error !== null && <code>{upload.error}</code>}
              <span class="push row">
                {upload.status !== 'completed' && (
                  <Confirm
                    text={t.replay}
                    look="button"
                    title={t.replayTitle(upload.process)}
                    note={upload.status === 'pending' ? t.takeOverNote : t.replayNote}
                    action={async () => {
                      await api.post(`${path}/replay`, { body: { takeOver: upload.status === 'pending' } });
                      setNotice(t.replayDone(upload.process));
                      found.reload();
                    }}
                  />
                )}
                <a class="button" href={linkTo('consoleUploads')}>
                  {t.back}
                </a>
              </span>
            </div>
            {upload.message !== null && <p class="notice bad">{upload.message}</p>}
            <Facts upload={upload} />
            <Part title={t.stages}>
              <Stages upload={upload} />
            </Part>
            <Part title={t.chunks}>
              <Chunks id={id} changed={`${upload.status} ${upload.attempt}`} />
            </Part>
          </>
        )}
      </ShowLive>
    </>
  );
};

export const OneUpload = ({ params: { id = '' } }: PageParams) => (
  <ConsolePage screen="consoleUploads" title={t.title(id)}>
    <Screen id={id} />
  </ConsolePage>
);
