import { unwrap } from '@commerce-backend/sdk';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, fieldError } from '../../../api.ts';
import { useFormat } from '../../../format.ts';
import { t } from '../../../language/texts.ts';
import { amountLike, unitsOf } from '../../../ui/decimals.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Checkbox, Select, TextArea, TextField } from '../../../ui/field.tsx';
import { DialogFoot } from '../../../ui/form-error.tsx';
import { Form } from '../../../ui/held.tsx';
import { AmountField } from '../../../ui/number-field.tsx';
import { isUnread } from '../../../ui/typed-number.ts';
import { textIn } from '../bulk-ship.tsx';
import type { OrderDetails } from '../order-queries.ts';
import { lineName } from '../texts.ts';
import { useAct } from './use-act.ts';

const REASONS = {
  returned: t('The goods came back'),
  damaged: t('Arrived damaged'),
  customer: t('The customer asked for it'),
  duplicate: t('Paid twice'),
  price_adjustment: t('The price was reduced'),
  other: t('Something else'),
} as const;

interface Refund {
  amount: string;
  reason: keyof typeof REASONS;
  note: string | null;
  by_hand?: boolean;
  line_items?: { line_item_id: string; quantity: number; restock: boolean; shipped?: boolean }[];
}

/** Refunds an order. Selecting items sets the suggested amount. */
export function RefundDialog({ order, onClose }: { order: OrderDetails; onClose: () => void }) {
  const { money } = useFormat();
  const [pieces, setPieces] = useState<Record<string, number>>({});
  const [typed, setTyped] = useState<string>();
  const suggested = useSuggestion(order, pieces);
  const amount = typed ?? suggested;
  const params = { path: { order_id: order.id } };
  const work = useAct(
    (body: Refund) => unwrap(api.POST('/api/dashboard/orders/{order_id}/refunds', { params, body })),
    { said: t('The refund is recorded. The customer receives an e-mail.'), onDone: onClose, quiet: true },
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    work.mutate(refundOf(new FormData(event.currentTarget), amount, pieces));
  };
  const amountError = fieldError(work.error, 'amount');
  const hasFailed = order.refunds.some(({ status }) => status === 'failed');
  return (
    <Dialog open onClose={onClose} title={t('Refund order {order_number}', { order_number: order.order_number })}>
      <Form busy={work.isPending} onSubmit={submit}>
        <Lines order={order} pieces={pieces} onChange={setPieces} />
        {order.fulfillment_status === 'partially_fulfilled' && (
          <Select label={t('Selected items')} name="which">
            <option value="">{t('Unshipped first')}</option>
            <option value="shipped">{t('Shipped only')}</option>
            <option value="unshipped">{t('Unshipped only')}</option>
          </Select>
        )}
        <AmountField
          label={t('Amount in {currency}', { currency: order.currency })}
          value={amount}
          onValue={setTyped}
          hint={t('At most {refundable}.', { refundable: money(order.refundable, order.currency) })}
          error={amountError}
          required
        />
        <Select label={t('Reason')} name="reason">
          {Object.entries(REASONS).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </Select>
        <TextArea label={t('Note')} name="note" rows={2} maxLength={5000} />
        <Checkbox
          label={t('Restock these items')}
          name="restock"
          disabled={Object.values(pieces).every((quantity) => quantity === 0)}
          hint={t('Select the items above first.')}
        />
        {isUnshipped(order) && (
          <p className="note">
            {t(
              'Selected items will not be shipped. If you refund everything without selecting items, the order is cancelled, and nothing is restocked.',
            )}
          </p>
        )}
        {hasFailed && (
          <Checkbox
            label={t('I have returned the money myself')}
            name="by_hand"
            hint={t('A refund has failed at the provider.')}
          />
        )}
        {order.payment_method === 'bank_transfer' && (
          <p className="note">{t('Return the money from your bank account yourself: this records that you did.')}</p>
        )}
        <DialogFoot
          work={work}
          action={
            isUnread(amount) || amount === ''
              ? t('Refund')
              : t('Refund {amount}', { amount: money(amount, order.currency) })
          }
          error={amountError ? null : work.error}
          onCancel={onClose}
        />
      </Form>
    </Dialog>
  );
}

function Lines({
  order,
  pieces,
  onChange,
}: {
  order: OrderDetails;
  pieces: Record<string, number>;
  onChange: (pieces: Record<string, number>) => void;
}) {
  return (
    <fieldset className="pieces">
      <legend>{t('Items to refund')}</legend>
      {order.line_items.map((line) => {
        const { id } = line;
        const refunded = order.line_states.find(({ line_item_id }) => line_item_id === id)?.refunded ?? 0;
        const left = line.quantity - refunded;
        if (!id || left <= 0) return null;
        return (
          <TextField
            key={id}
            label={lineName(line)}
            type="number"
            min={0}
            max={left}
            step={1}
            value={pieces[id] ?? 0}
            hint={t('of {left}', { left })}
            onChange={(event) => onChange({ ...pieces, [id]: Number(event.target.value) })}
          />
        );
      })}
    </fieldset>
  );
}

/** Returns the amount that the server suggests for the chosen units; until it has answered, their price. */
function useSuggestion(order: OrderDetails, pieces: Record<string, number>): string {
  const { id: order_id } = order;
  const chosen = Object.entries(pieces).filter(([, quantity]) => Number.isInteger(quantity) && quantity > 0);
  const line_items = chosen.map(([line_item_id, quantity]) => ({ line_item_id, quantity }));
  const { data } = useQuery({
    queryKey: ['orders', order_id, 'suggestion', line_items],
    queryFn: ({ signal }) => {
      const call = { params: { path: { order_id } }, body: { line_items }, signal };
      return unwrap(api.POST('/api/dashboard/orders/{order_id}/refunds/suggestion', call));
    },
    enabled: line_items.length > 0,
    retry: false,
  });
  return data?.amount ?? priceOf(order, pieces);
}

/**
 * Returns the price of the selected units, capped at the refundable amount, as the suggestion until the server has
 * answered. Without a selection, returns the whole refundable amount.
 */
function priceOf({ line_items, refundable }: OrderDetails, pieces: Record<string, number>): string {
  const most = unitsOf(refundable);
  const sum = line_items.reduce((units, { id, price }) => {
    const quantity = id ? Math.max(0, Math.trunc(pieces[id] ?? 0)) : 0;
    return units + unitsOf(price) * BigInt(quantity);
  }, 0n);
  return amountLike(refundable, sum === 0n || sum > most ? most : sum);
}

function refundOf(form: FormData, amount: string, pieces: Record<string, number>): Refund {
  const restock = form.has('restock');
  const which = form.get('which');
  const line_items = Object.entries(pieces)
    .filter(([, quantity]) => quantity > 0)
    .map(([line_item_id, quantity]) => ({
      ...{ line_item_id, quantity, restock },
      ...(which && { shipped: which === 'shipped' }),
    }));
  return {
    amount,
    reason: String(form.get('reason')) as Refund['reason'],
    note: textIn(form, 'note'),
    ...(form.has('by_hand') && { by_hand: true }),
    ...(line_items.length > 0 && { line_items }),
  };
}

function isUnshipped({ status, fulfillment_status }: OrderDetails): boolean {
  return status !== 'cancelled' && fulfillment_status === 'unfulfilled';
}
