'use client';

import { useActionState, useEffect } from 'react';
import { addToCart } from '../app/actions.ts';
import { ADDED } from './cart.tsx';
import { useWords } from './words.tsx';

/** The form that adds a variant to the cart, and then opens the drawer with the cart. */
export function AddToCart({ variant_id, available }: { variant_id: string; available: boolean }) {
  const { t } = useWords();
  const [told, add, isAdding] = useActionState(addToCart, { notice: undefined, times: 0 });

  useEffect(() => {
    if (told.notice === 'added') window.dispatchEvent(new Event(ADDED));
  }, [told]);

  return (
    <form action={add} className="add">
      <input type="hidden" name="variant_id" value={variant_id} />
      <label>
        {t('quantity')} <input type="number" name="quantity" defaultValue={1} min={1} max={99} />
      </label>
      <button type="submit" className="primary" disabled={!available || isAdding}>
        {t(!available ? 'sold_out' : isAdding ? 'adding' : 'add')}
      </button>
      <p role="status">{told.notice && t(told.notice)}</p>
    </form>
  );
}
