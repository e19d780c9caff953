import { unwrap } from '@commerce-backend/sdk';
import { useState } from 'react';
import { api, fieldError, readAgain, type Versioned, versioned } from '../../../api.ts';
import { type ConflictSource, conflictOf } from '../../../ui/conflict-dialog.tsx';
import { toast, toastError } from '../../../ui/toasts.tsx';
import { rebased } from './differences.ts';
import { type Draft, draftOf, isSame, type Product } from './draft.ts';
import { Refusal, updateProduct } from './save.ts';
import { hasUnreadNumber, UNREAD_NUMBERS } from './variant-fields.tsx';

export function loadProduct(product_id: string, signal?: AbortSignal): Promise<Versioned<Product>> {
  const call = api.GET('/api/dashboard/products/{product_id}', {
    params: { path: { product_id } },
    ...(signal && { signal }),
  });
  return versioned(call, unwrap);
}

/** Lists, stock and collections show products too. */
export const SHOWN_BY = ['products', 'inventory', 'collections'] as const;

export function forgetProducts(): Promise<void> {
  return readAgain(...SHOWN_BY);
}

interface Conflict {
  source: ConflictSource;
  theirs: Versioned<Product>;
}

/** One product that is being edited: what it was, what it is to be, and what came of saving it. */
export function useEditor(loaded: Versioned<Product>) {
  const [base, setBase] = useState(loaded);
  const [draft, setDraft] = useState(() => draftOf(loaded.data));
  const [saving, setSaving] = useState<{ done: number; of: number }>();
  const [error, setError] = useState<unknown>();
  const [conflict, setConflict] = useState<Conflict>();
  const [round, setRound] = useState(0);
  const { id } = loaded.data;

  function show(product: Versioned<Product>, next: Draft = draftOf(product.data)) {
    setBase(product);
    setDraft(next);
  }

  async function save(from: Versioned<Product> = base, what: Draft = draft) {
    if (hasUnreadNumber(what)) return toastError(new Error(UNREAD_NUMBERS));
    setSaving({ done: 0, of: 1 });
    setError(undefined);
    try {
      await updateProduct(from.data, from.etag, what, (done, of) => setSaving({ done, of }));
      show(await loadProduct(id));
      setConflict(undefined);
      toast('Saved.');
    } catch (failure) {
      // Some calls may have been done: what is left is judged by what the product is now.
      const now = await loadProduct(id).catch(() => undefined);
      const source = conflictOf(failure instanceof Refusal ? failure.cause : failure);
      if (now && source) {
        show(from, what);
        setConflict({ source, theirs: now });
      } else {
        if (now) show(now, rebased(from.data, what, now.data));
        setConflict(undefined);
        setError(failure);
        toastError(failure);
      }
    } finally {
      setSaving(undefined);
      void forgetProducts();
    }
  }

  return {
    base,
    draft,
    setDraft,
    saving,
    error,
    conflict,
    dirty: !isSame(draft, draftOf(base.data)),
    save: () => save(),
    /** Another one after each time that everything was discarded: what was on its way then, such as a picture, is not wanted either. */
    round,
    discard: () => {
      show(base);
      setError(undefined);
      setRound((now) => now + 1);
    },
    keepMine: () => conflict && save(conflict.theirs, rebased(base.data, draft, conflict.theirs.data)),
    takeTheirs: () => {
      if (conflict) show(conflict.theirs);
      setConflict(undefined);
    },
    closeConflict: () => setConflict(undefined),
  };
}

/** The mistakes of a refused save by the editor's fields: `name`, or `variants.<key>.price`. */
export function fieldErrors(error: unknown, draft: Draft): (field: string) => string | undefined {
  if (!(error instanceof Refusal)) return () => undefined;
  const { cause, variant } = error;
  return (field) => {
    const [, key, name] = /^variants\.([^.]+)\.(.+)$/.exec(field) ?? [];
    if (key === undefined || name === undefined) return variant === undefined ? fieldError(cause, field) : undefined;
    if (variant !== undefined) return variant === key ? fieldError(cause, name) : undefined;
    const at = draft.variants.findIndex((each) => each.key === key);
    return (
      fieldError(cause, `variants.${at}.${name}`) ?? (draft.options.length === 0 ? fieldError(cause, name) : undefined)
    );
  };
}
