import { useCallback, useEffect, useState } from 'react';

/**
 * Fields to write into a draft. A function of what the draft is then is needed where a part of a field is kept: a callback that
 * was made before, such as that of an upload, would write back what it was.
 */
export type Change<Values> = Partial<Values> | ((now: Values) => Partial<Values>);

/**
 * What a form holds before it is saved: a copy of the stored values, what differs from them, and a way back. When the stored
 * values change while nothing is edited, or before what was edited is put back, the form follows.
 */
export function useDraft<Values extends object>(stored: Values) {
  const [base, setBase] = useState(stored);
  const [draft, setDraft] = useState(stored);
  const changes = differences(base, draft);
  const dirty = Object.keys(changes).length > 0;
  const storedText = JSON.stringify(stored);

  // The text stands for the values; an edited form is left alone.
  useEffect(() => {
    if (dirty) return;
    setBase(stored);
    setDraft(stored);
  }, [storedText, dirty]);

  const set = useCallback(
    (change: Change<Values>) =>
      setDraft((now) => ({ ...now, ...(typeof change === 'function' ? change(now) : change) })),
    [],
  );
  /** Takes values as the stored ones: after they were saved. */
  const settle = useCallback((values: Values) => {
    setBase(values);
    setDraft(values);
  }, []);
  const reset = useCallback(() => setDraft(base), [base]);
  return { base, draft, set, changes, dirty, settle, reset };
}

/**
 * The fields whose values differ from those of `base`, compared by what they hold. A form that sends no others leaves alone what
 * somebody else has changed meanwhile.
 */
export function differences<Values extends object>(
  base: { [Field in keyof Values]?: unknown },
  draft: Values,
): Partial<Values> {
  const changed: Partial<Values> = {};
  for (const field of Object.keys(draft) as (keyof Values)[]) {
    if (JSON.stringify(base[field]) !== JSON.stringify(draft[field])) changed[field] = draft[field];
  }
  return changed;
}

/** A text while it is typed: null for nothing, and spaces stay, as more may follow. */
export function typedOrNull(text: string): string | null {
  return text === '' ? null : text;
}

/** The text of an input as the API takes it, without spaces around it: null for nothing. */
export function textOrNull(text: string): string | null {
  const trimmed = text.trim();
  return trimmed === '' ? null : trimmed;
}

/** A whole number from an input; null for nothing. */
export function integerOrNull(text: string): number | null {
  const trimmed = text.trim();
  return trimmed === '' ? null : Number(trimmed);
}

/** Values without the spaces that were typed around their texts. */
export function trimmed<Value>(value: Value): Value {
  if (typeof value === 'string') return value.trim() as Value;
  if (Array.isArray(value)) return value.map(trimmed) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, trimmed(each)])) as Value;
}
