import { useState } from 'preact/hooks';
import { api } from './api.js';

/** The fields of `values` that differ from `opened`. */
const changesOf = <T extends object>(opened: T, values: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(values).filter(([name, value]) => value !== opened[name as keyof T]),
  ) as Partial<T>;

/**
 * Saves what the user changed since `opened` over the present values: others may have changed the object since then, and
 * PUT replaces all fields. Returns the saved fields.
 */
export const saveChanges = async <T extends object>(path: string, opened: T, values: T): Promise<T> => {
  const present = await api.get<T>(path);
  const kept = Object.fromEntries(
    Object.keys(values).map((name) => [name, present[name as keyof T] ?? null]),
  ) as T;
  const body = { ...kept, ...changesOf(opened, values) };
  await api.put(path, { body });
  return body;
};

interface Edited<T> {
  readonly values: T;
  change(fields: Partial<T>): void;
  save(): Promise<void>;
}

/**
 * Fields of a form that stays open after saving.
 *
 * @param store returns the fields that the form shows next
 */
export const useEdited = <T extends object>(
  first: T,
  store: (opened: T, values: T) => Promise<T>,
): Edited<T> => {
  const [opened, setOpened] = useState(first);
  const [values, setValues] = useState(first);
  return {
    values,
    change: (fields) => setValues((now) => ({ ...now, ...fields })),
    async save() {
      const saved = await store(opened, values);
      setOpened(saved);
      // Keeps what the user typed meanwhile.
      setValues((now) => ({ ...saved, ...changesOf(values, now) }));
    },
  };
};
