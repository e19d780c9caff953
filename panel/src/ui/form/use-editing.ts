import type { CommerceError } from '@commerce-backend/sdk';
import { useEffect, useRef, useState } from 'react';
import {
  type DefaultValues,
  type FieldValues,
  type Path,
  type UseFormReturn,
  useForm,
  useWatch,
} from 'react-hook-form';
import { inWords, mistakeInWords, type Versioned } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { type ConflictSource, conflictOf } from '../conflict-dialog.tsx';
import { changesOf, merged, nameOf, wordsOf } from './changes.ts';

interface Calls<Values> {
  /** Sends the changes from `over` to `values`. Returns the new stored state. */
  send: (values: Values, over: Versioned<Values>) => Promise<Versioned<Values>>;
  /** Fetches the state that another user has saved. Undefined if saves send no ETag. */
  read?: () => Promise<Versioned<Values>>;
  onSaved?: (saved: Versioned<Values>) => Promise<void> | void;
  /** Replaces the default merge of both users' changes. */
  merge?: (base: Values, mine: Values, theirs: Values) => Values;
  /** The fields as text by label, for the conflict dialog. */
  words?: (values: Values) => Map<string, string>;
}

/**
 * Thrown if a save's first call succeeded and a later one failed. The form keeps the remaining changes and continues
 * from the new stored state.
 */
export class PartlySaved<Values> extends Error {
  readonly saved: Versioned<Values>;
  readonly typed: Values;

  constructor(message: string, saved: Versioned<Values>, typed: Values, cause: unknown) {
    super(message, { cause });
    this.saved = saved;
    this.typed = typed;
  }
}

export interface Editing<Values extends FieldValues> {
  form: UseFormReturn<Values>;
  /** The stored values with which the form started, and their ETag. */
  base: Versioned<Values>;
  busy: boolean;
  dirty: boolean;
  /** The error of the last save, unless a field shows it. */
  problem: string | undefined;
  conflict: { source: ConflictSource; theirs: Versioned<Values> } | undefined;
  words: (values: Values) => Map<string, string>;
  /** Number of running image uploads. A save would lack these images. */
  waiting: number;
  setWaiting: (waiting: number) => void;
  /** Increases when all changes are discarded, so that results of earlier uploads are ignored. */
  round: number;
  /** Saves the changes. Resolves to whether that succeeded. */
  save: () => Promise<boolean>;
  discard: () => void;
  keepMine: () => void;
  takeTheirs: () => void;
  closeConflict: () => void;
}

const MARKED = t('Nothing is saved: correct the fields that are marked.');

/**
 * Edits a resource in a form whose values are the resource's fields. A rejected save keeps the input. While nothing was
 * edited, the form shows the newest stored state.
 */
export function useEditing<Values extends FieldValues>(
  stored: Versioned<Values>,
  { send, read, onSaved, merge = merged, words = wordsOf }: Calls<Values>,
): Editing<Values> {
  const [busy, setBusy] = useState(false);
  const { form, base, begin, dirty } = useBase(stored, busy);
  const [problem, setProblem] = useState<string>();
  const [conflict, setConflict] = useState<Editing<Values>['conflict']>();
  const [waiting, setWaiting] = useState(0);
  const [round, setRound] = useState(0);

  // Fields are inert during a save, so a field can be focused only afterwards.
  useEffect(() => {
    if (busy || !problem) return;
    const field = document.querySelector<HTMLElement>('.held [aria-invalid="true"]');
    field?.focus({ preventScroll: true });
    // Scrolls the field to the middle, so that the save bar does not cover its error.
    field?.scrollIntoView({ block: 'center' });
  }, [busy, problem]);

  async function save(over = base): Promise<boolean> {
    let isSaved = false;
    const submit = async (values: Values) => {
      try {
        const saved = await send(values, over);
        // Resets the form first, because the user may leave as soon as success is reported.
        begin(saved);
        await onSaved?.(saved);
        isSaved = true;
      } catch (error) {
        const source = conflictOf(error);
        const theirs = source && (await read?.().catch(() => undefined));
        if (source && theirs) return setConflict({ source, theirs });
        if (error instanceof PartlySaved) begin(error.saved, error.typed);
        setProblem(showMistakes(form, error));
      }
    };
    form.clearErrors();
    setProblem(undefined);
    setBusy(true);
    await form.handleSubmit(submit, () => setProblem(MARKED))();
    setBusy(false);
    return isSaved;
  }

  function keepMine() {
    if (!conflict) return;
    begin(conflict.theirs, merge(base.data, form.getValues(), conflict.theirs.data));
    setConflict(undefined);
    void save(conflict.theirs);
  }

  function takeTheirs() {
    if (conflict) begin(conflict.theirs);
    setConflict(undefined);
  }

  function discard() {
    begin(base);
    setProblem(undefined);
    setRound((now) => now + 1);
  }

  const closeConflict = () => setConflict(undefined);
  const state = { form, base, busy, dirty, problem, conflict, words, waiting, setWaiting, round };
  return { ...state, save: () => save(), discard, keepMine, takeTheirs, closeConflict };
}

/** The form, and the stored state with which it started. */
function useBase<Values extends FieldValues>(stored: Versioned<Values>, busy: boolean) {
  const [base, setBase] = useState(stored);
  // The stored state at the time when the form was last reset.
  const began = useRef(base);
  const form = useForm<Values>({ defaultValues: stored.data as DefaultValues<Values>, shouldFocusError: false });
  const dirty = useWatch({
    control: form.control,
    compute: (values) => Object.keys(changesOf(began.current.data, values)).length > 0,
  });

  function begin(next: Versioned<Values>, values: Values = next.data) {
    began.current = next;
    setBase(next);
    form.reset(values);
  }

  const version = versionOf(stored);
  const seen = useRef(version);
  useEffect(() => {
    if (dirty || busy || version === seen.current) return;
    seen.current = version;
    if (version !== versionOf(base)) begin(stored);
  }, [version, dirty, busy]);

  return { form, base, begin, dirty };
}

function versionOf<Values>({ data, etag }: Versioned<Values>): string {
  return etag ?? JSON.stringify(data);
}

type Mistake = Parameters<typeof mistakeInWords>[0];

/** Shows each error at its field. Returns errors of fields that are not on the screen as text. */
function showMistakes<Values extends FieldValues>(form: UseFormReturn<Values>, error: unknown): string {
  const { detail } = ((error instanceof PartlySaved ? error.cause : error) ?? {}) as Partial<CommerceError>;
  const mistakes: readonly Mistake[] = Array.isArray(detail) ? detail : [];
  const unshown = mistakes.filter(({ loc, msg }) => {
    const path = loc[0] === 'body' ? loc.slice(1) : [];
    const names = path.map((_, i) => path.slice(0, path.length - i).join('.'));
    const field = names.find((name) => document.getElementsByName(name).length > 0);
    if (field !== undefined) form.setError(field as Path<Values>, { message: msg });
    return field === undefined;
  });
  const told = unshown.map((mistake) => whose(form.getValues(), mistake) + mistakeInWords(mistake));
  if (error instanceof PartlySaved) return [error.message, ...told].join(' ');
  if (mistakes.length === 0) return inWords(error);
  return [MARKED, ...told].slice(unshown.length < mistakes.length ? 0 : 1).join(' ');
}

/** Returns a prefix such as "L / Red: " for an error in a list, for example in a variant's hidden column. */
function whose(values: FieldValues, { loc: [, list, at] }: Mistake): string {
  const item: unknown = typeof at === 'number' ? values[String(list)]?.[at] : undefined;
  const name = typeof item === 'object' && item !== null ? nameOf(item) : '';
  return name === '' ? '' : `${name}: `;
}
