import { useState } from 'preact/hooks';
import { Dialog } from '../../components/dialog.js';
import { Menu } from '../../components/menu.js';
import { ErrorText } from '../../components/states.js';
import { TextField } from '../../components/text-field.js';
import { useAct } from '../../lib/act.js';
import { api } from '../../lib/api.js';
import { saveChanges } from '../../lib/edited.js';
import { texts } from '../../texts.js';
import type { Version } from './types.js';

const t = texts.versions;

interface Props {
  readonly datasetId: number;
  readonly version: Version;
  /** Called after a change, with a message if there is one. */
  readonly onDone: (said?: string) => void;
}

type Marks = Pick<Version, 'label' | 'pinned'>;

const pathOf = (datasetId: number, { versionId }: Version): string =>
  `/datasets/${datasetId}/versions/${versionId}`;

const saveMarks = (path: string, { label, pinned }: Version, changed: Partial<Marks>): Promise<unknown> =>
  saveChanges(path, { label, pinned }, { label, pinned, ...changed });

type Asked = 'label' | 'restore' | 'delete';

const Ask = ({
  datasetId,
  version,
  asked,
  onDone,
  onClose,
}: Props & { asked: Asked; onClose: () => void }) => {
  const [label, setLabel] = useState(version.label ?? '');
  const { isBusy, error, run } = useAct();
  const { versionId: id } = version;
  const path = pathOf(datasetId, version);
  const act = async (): Promise<string | undefined> => {
    if (asked === 'label') {
      await saveMarks(path, version, { label: label.trim() === '' ? null : label.trim() });
      return undefined;
    }
    if (asked === 'delete') {
      await api.delete(path);
      return undefined;
    }
    return t.restored((await api.post<Version>(`${path}/restore`)).versionId);
  };
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    let said: string | undefined;
    const isDone = await run(async () => {
      said = await act();
    });
    if (!isDone) return;
    onClose();
    onDone(said);
  };
  const title = { label: t.labelTitle, restore: t.restoreTitle, delete: t.deleteTitle }[asked](id);
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <button
          class={asked === 'delete' ? 'button bad' : 'button main'}
          type="submit"
          form="version-ask"
          disabled={isBusy}
        >
          {asked === 'label' ? texts.actions.save : t[asked]}
        </button>
      }
    >
      <form id="version-ask" class="stack" onSubmit={(event) => void submit(event)}>
        {asked === 'label' ? (
          <TextField
            label={t.labelText}
            maxLength={255}
            note={t.labelNote}
            value={label}
            onInput={setLabel}
          />
        ) : (
          <p>{asked === 'restore' ? t.restoreNote : t.deleteNote}</p>
        )}
        {error !== undefined && <ErrorText error={error} />}
      </form>
    </Dialog>
  );
};

/** Actions on a version; require Write. */
export const Actions = (props: Props) => {
  const { datasetId, version, onDone } = props;
  const [asked, setAsked] = useState<Asked>();
  const { error, run } = useAct();
  const pin = async (): Promise<void> => {
    const path = pathOf(datasetId, version);
    if (await run(() => saveMarks(path, version, { pinned: !version.pinned }))) onDone();
  };
  return (
    <>
      <Menu label={t.more} name={t.change(version.versionId)} look="button plain">
        {(close) => {
          const item = (text: string, act: () => void) => (
            <button
              class="menu-item"
              type="button"
              onClick={() => {
                close();
                act();
              }}
            >
              {text}
            </button>
          );
          return (
            <>
              {item(version.pinned ? t.unpin : t.pin, () => void pin())}
              {item(t.label, () => setAsked('label'))}
              {!version.current && item(t.restore, () => setAsked('restore'))}
              {!version.current && item(t.delete, () => setAsked('delete'))}
            </>
          );
        }}
      </Menu>
      {error !== undefined && <ErrorText error={error} />}
      {asked !== undefined && <Ask {...props} asked={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
};
