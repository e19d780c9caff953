'use client';

import type { Schemas } from '@commerce-backend/sdk';
import Link from 'next/link';
import { useActionState, useEffect, useRef } from 'react';
import { changeLine, goToCheckout } from '../app/actions.ts';
import { useWords } from './words.tsx';

type Cart = Schemas['Cart'];

const UNTOLD = { notice: undefined, times: 0 };

/** The event with which a product page opens the drawer with the cart. */
export const ADDED = 'cart-added';

/** The link to the cart. If JavaScript runs, it opens a drawer with the cart instead. */
export function CartDrawer({ cart }: { cart: Cart | undefined }) {
  const { t, language } = useWords();
  const drawer = useRef<HTMLDialogElement>(null);
  const count = cart?.items.reduce((sum, { quantity }) => sum + quantity, 0) ?? 0;

  useEffect(() => {
    const open = () => drawer.current?.open || drawer.current?.showModal();
    window.addEventListener(ADDED, open);
    return () => window.removeEventListener(ADDED, open);
  }, []);

  return (
    <>
      <a
        className="cart-link"
        href={`/${language}/cart`}
        onClick={(event) => {
          event.preventDefault();
          drawer.current?.showModal();
        }}
      >
        {t('cart')} <span aria-hidden="true">{count}</span>
        <span className="unseen">{t('pieces', { count })}</span>
      </a>
      <dialog ref={drawer} className="drawer" aria-label={t('cart')}>
        <div className="drawer-body">
          <header>
            <h2>{t('cart')}</h2>
            <button type="button" onClick={() => drawer.current?.close()}>
              {t('close')}
            </button>
          </header>
          <CartContent cart={cart} />
        </div>
      </dialog>
    </>
  );
}

/** The lines, the total and the checkout button of the cart. */
export function CartContent({ cart }: { cart: Cart | undefined }) {
  const { t, money, language } = useWords();
  const [told, checkOut, isWaiting] = useActionState(goToCheckout, UNTOLD);
  if (!cart) return <p className="quiet">{t('cart_empty')}</p>;
  return (
    <>
      <ul className="lines">
        {cart.items.map((item) => (
          <Line key={item.id} item={item} currency={cart.currency} />
        ))}
      </ul>
      <p className="sum">
        <span>{t('total')}</span> <strong>{money(cart.total, cart.currency)}</strong>
      </p>
      <p className="quiet">{t('shipping_later')}</p>
      <form action={checkOut}>
        <input type="hidden" name="language" value={language} />
        <button type="submit" className="primary" disabled={isWaiting}>
          {t('to_checkout')}
        </button>
        <p role="status">{told.notice && t(told.notice)}</p>
      </form>
    </>
  );
}

function Line({ item, currency }: { item: Cart['items'][number]; currency: string }) {
  const { t, money, language } = useWords();
  const [told, change, isWaiting] = useActionState(changeLine, UNTOLD);
  const { id, name, variant_name, variant_id, product_id, image_url, quantity, total } = item;
  return (
    <li className="line">
      {image_url ? <img src={image_url} alt="" width={80} height={80} /> : <span className="no-picture" />}
      <div>
        <Link href={`/${language}/products/${product_id}?variant=${variant_id}`}>{name}</Link>
        {variant_name && <p className="quiet">{variant_name}</p>}
        <form action={change} className="amount">
          <input type="hidden" name="line" value={id} />
          <label>
            <span className="unseen">
              {t('quantity')}, {name}
            </span>
            <input key={quantity} type="number" name="quantity" defaultValue={quantity} min={0} max={99} />
          </label>
          <button type="submit" disabled={isWaiting}>
            {t('update')}
          </button>
        </form>
        <form action={change}>
          <input type="hidden" name="line" value={id} />
          <input type="hidden" name="quantity" value="0" />
          <button type="submit" className="plain" aria-label={t('remove_what', { name })}>
            {t('remove')}
          </button>
        </form>
        <p role="status">{told.notice && t(told.notice)}</p>
      </div>
      <p className="price">{money(total, currency)}</p>
    </li>
  );
}
