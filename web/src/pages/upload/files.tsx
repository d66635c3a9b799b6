import { useRef, useState } from 'preact/hooks';
import { bytes } from '../../lib/format.js';
import { texts } from '../../texts.js';
import { type Chosen, Preview } from './preview.js';

const t = texts.upload;

export interface Picked {
  readonly file: File;
  /** Name of the new dataset. */
  readonly name: string;
  readonly chosen: Chosen;
}

/** `Prices.csv.gz` gets the name `Prices`. */
export const picked = (file: File): Picked => ({
  file,
  name: file.name.replace(/\.gz$/i, '').replace(/\.(csv|tsv|txt)$/i, '') || file.name,
  chosen: {},
});

interface DropProps {
  readonly onFiles: (files: readonly File[]) => void;
  readonly isSmall: boolean;
}

/** Accepts files by drag and drop, or from a file dialog. */
export const Drop = ({ onFiles, isSmall }: DropProps) => {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same by keyboard.
    <div
      class={`drop${isOver ? ' over' : ''}${isSmall ? ' small-drop' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        event.stopPropagation();
        setOver(false);
        onFiles([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      {!isSmall && <p class="drop-title">{t.drop}</p>}
      <button class={isSmall ? 'button' : 'button main'} type="button" onClick={() => input.current?.click()}>
        {isSmall ? t.chooseMore : t.choose}
      </button>
      {!isSmall && <p class="small soft">{t.noFile}</p>}
      <input
        ref={input}
        class="hidden-text"
        type="file"
        multiple
        tabIndex={-1}
        aria-label={t.choose}
        accept=".csv,.tsv,.txt,.gz,text/csv,text/plain,application/gzip"
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
    </div>
  );
};

interface FileProps {
  readonly one: Picked;
  readonly isNew: boolean;
  readonly onChange: (one: Picked) => void;
  readonly onRemove: () => void;
}

/** A chosen file with name, types and first rows. */
export const ChosenFile = ({ one, isNew, onChange, onRemove }: FileProps) => (
  <section class="panel stack" aria-label={one.file.name}>
    <div class="row">
      <strong>{one.file.name}</strong>
      <span class="small soft number">{bytes(one.file.size)}</span>
      <button
        class="button plain end"
        type="button"
        aria-label={t.remove(one.file.name)}
        title={t.remove(one.file.name)}
        onClick={onRemove}
      >
        <span aria-hidden="true">✕</span>
      </button>
    </div>
    {isNew && (
      <label class="field dataset-name">
        <span>{t.name}</span>
        <input
          class="input"
          required
          value={one.name}
          onInput={({ currentTarget }) => onChange({ ...one, name: currentTarget.value })}
        />
      </label>
    )}
    <Preview file={one.file} chosen={one.chosen} onChoose={(chosen) => onChange({ ...one, chosen })} />
    <p class="small soft">{t.preview.note}</p>
  </section>
);
