import { useState } from 'preact/hooks';
import { Confirm } from '../../components/confirm.js';
import { Dialog } from '../../components/dialog.js';
import { Show } from '../../components/states.js';
import { api } from '../../lib/api.js';
import { ago, bytes, dateAndTime } from '../../lib/format.js';
import { useLoad } from '../../lib/load.js';
import { consoleTexts } from '../../texts/console.js';
import { ConsolePage, ShowLive, StatusNotice, Table } from './console-page.js';
import { useLive } from './live.js';
import type { DeadLetter, DeadLetterDetails } from './types.js';

const t = consoleTexts.letters;

const placeOf = ({ topic, partition, offset }: DeadLetter['origin']): string =>
  `${topic} / ${partition} / ${offset}`;

const Message = ({ letter: { message } }: { letter: DeadLetterDetails }) => {
  if (message === null) return <p class="soft">{t.gone}</p>;
  const headers = Object.entries(message.headers);
  return (
    <>
      <h3>{t.headers}</h3>
      {headers.length === 0 ? (
        <p class="soft">{t.noHeaders}</p>
      ) : (
        <Table name={t.headers} heads={[t.header, t.value]}>
          {headers.map(([name, value]) => (
            <tr key={name}>
              <th scope="row" class="code">
                {name}
              </th>
              <td class="code">{value}</td>
            </tr>
          ))}
        </Table>
      )}
      {message.key !== null && (
        <p>
          {t.key}: <code>{message.key}</code>
        </p>
      )}
      <h3>{t.preview}</h3>
      {message.text === '' ? (
        <p class="soft">{t.empty}</p>
      ) : (
        <>
          <p class="small soft">{t.asText}</p>
          <pre class="preview">{message.text}</pre>
          <p class="small soft">{t.asHex}</p>
          <pre class="preview">{message.hex}</pre>
        </>
      )}
    </>
  );
};

const Look = ({ id, onClose }: { id: number; onClose: () => void }) => {
  const found = useLoad((signal) => api.get<DeadLetterDetails>(`/ops/dead-letters/${id}`, { signal }), [id]);
  return (
    <Dialog title={t.title(id)} onClose={onClose}>
      <Show of={found}>
        {(letter) => (
          <div class="stack">
            <p class="notice bad">{letter.reason}</p>
            <p class="small soft">{placeOf(letter.origin)}</p>
            <Message letter={letter} />
          </div>
        )}
      </Show>
    </Dialog>
  );
};

interface LineProps {
  readonly letter: DeadLetter;
  readonly onLook: () => void;
  readonly onDone: (text: string) => void;
}

const Line = ({ letter, onLook, onDone }: LineProps) => {
  const { id, reason, origin, bytes: size, recordedAt } = letter;
  return (
    <tr>
      <td class="number">{id}</td>
      <td class="reason">{reason}</td>
      <td class="code">{placeOf(origin)}</td>
      <td class="number">{bytes(size)}</td>
      <td>
        <time dateTime={recordedAt} title={dateAndTime(recordedAt)}>
          {ago(recordedAt)}
        </time>
      </td>
      <td>
        <div class="row actions">
          <button class="button" type="button" aria-label={t.open(id)} onClick={onLook}>
            {t.look}
          </button>
          <Confirm
            text={t.replay}
            name={`${t.replay} ${id}`}
            look="button"
            title={t.replayTitle(id)}
            note={t.replayNote}
            action={async () => {
              const done = await api.post<{ process: number; chunk: number }>(
                `/ops/dead-letters/${id}/replay`,
              );
              onDone(t.replayDone(id, done.process, done.chunk));
            }}
          />
          <Confirm
            text={t.drop}
            name={`${t.drop} ${id}`}
            title={t.dropTitle(id)}
            note={t.dropNote}
            action={async () => {
              await api.delete(`/ops/dead-letters/${id}`);
              onDone(t.dropDone(id));
            }}
          />
        </div>
      </td>
    </tr>
  );
};

const Screen = () => {
  const [notice, setNotice] = useState('');
  const [looked, setLooked] = useState<number>();
  const found = useLive(
    (signal) => api.get<DeadLetter[]>('/ops/dead-letters', { query: { $top: 1_000 }, signal }),
    [],
  );
  const onDone = (text: string): void => {
    setNotice(text);
    found.reload();
  };
  return (
    <>
      <p class="soft">{t.lead}</p>
      <StatusNotice text={notice} />
      <ShowLive of={found}>
        {(letters) =>
          letters.length === 0 ? (
            <p class="notice good">{t.none}</p>
          ) : (
            <Table
              name={consoleTexts.tabs.consoleDeadLetters}
              heads={[
                { text: t.columns.id, number: true },
                t.columns.reason,
                t.columns.origin,
                { text: t.columns.bytes, number: true },
                t.columns.when,
                t.columns.actions,
              ]}
            >
              {letters.map((letter) => (
                <Line key={letter.id} letter={letter} onLook={() => setLooked(letter.id)} onDone={onDone} />
              ))}
            </Table>
          )
        }
      </ShowLive>
      {looked !== undefined && <Look id={looked} onClose={() => setLooked(undefined)} />}
    </>
  );
};

export const DeadLetters = () => (
  <ConsolePage screen="consoleDeadLetters">
    <Screen />
  </ConsolePage>
);
