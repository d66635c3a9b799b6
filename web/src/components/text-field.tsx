import type { InputHTMLAttributes, PartialInputHTMLAttributes } from 'preact';

type Attributes = Pick<
  PartialInputHTMLAttributes<HTMLInputElement>,
  'autocomplete' | 'inputMode' | 'maxLength' | 'min' | 'placeholder' | 'required' | 'spellcheck'
>;

interface TextFieldProps extends Attributes {
  readonly type?: 'text' | 'password' | 'date' | 'number';
  readonly label: string;
  /** Hint below the field. */
  readonly note?: string;
  readonly value: string;
  /** Called with the whole text after each key press. */
  readonly onInput: (text: string) => void;
}

/** A text input with its label. */
export const TextField = ({ label, note, type = 'text', value, onInput, ...input }: TextFieldProps) => (
  <label class="field">
    <span>{label}</span>
    <input
      // The types of inputs differ only in the roles that they allow, and no role is given here.
      {...({ ...input, type } as InputHTMLAttributes)}
      class="input"
      value={value}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
    {note !== undefined && <span class="small soft">{note}</span>}
  </label>
);
