import { unwrap } from '@commerce-backend/sdk';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, fieldError } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox, TextArea } from '../../ui/field.tsx';
import { DialogFoot } from '../../ui/form-error.tsx';
import { Form } from '../../ui/held.tsx';
import { AmountField } from '../../ui/number-field.tsx';
import { textIn } from '../orders/bulk-ship.tsx';
import { type Return, useReturnAct } from './return-queries.ts';

interface Refund {
  amount?: string;
  shipping?: 'all';
  note: string | null;
  close: boolean;
}

/** Refunds the received items. If no amount is entered, refunds the suggested amount. */
export function ReturnRefundDialog({ found, onClose }: { found: Return; onClose: () => void }) {
  const { money } = useFormat();
  const [amount, setAmount] = useState('');
  const params = { path: { return_id: found.id } };
  const work = useReturnAct(
    (body: Refund) => unwrap(api.POST('/api/dashboard/returns/{return_id}/refund', { params, body })),
    { said: t('The refund is recorded. The customer receives an e-mail.'), onDone: onClose, quiet: true },
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    work.mutate({
      ...(amount && { amount }),
      ...(form.has('shipping') && { shipping: 'all' as const }),
      note: textIn(form, 'note'),
      close: form.has('close'),
    });
  };
  const amountError = fieldError(work.error, 'amount');
  const suggested = useSuggestion(found);
  const fee = Number(found.fee) > 0 ? ` ${t('minus the fee of {fee}', { fee: money(found.fee, found.currency) })}` : '';
  const standard = t('the price of the items after discounts{fee}', { fee });
  return (
    <Dialog open onClose={onClose} title={t('Refund return {number}', { number: found.number })}>
      <Form busy={work.isPending} onSubmit={submit}>
        <AmountField
          label={t('Amount in {currency}', { currency: found.currency })}
          value={amount}
          onValue={setAmount}
          hint={t('Left empty: {which}.', {
            which: suggested ? `${money(suggested, found.currency)}, ${standard}` : standard,
          })}
          error={amountError}
        />
        <Checkbox name="shipping" label={t('Refund the shipping cost, too')} />
        <TextArea label={t('Note for staff')} name="note" rows={2} maxLength={5000} />
        <Checkbox name="close" label={t('Close the return')} defaultChecked />
        {found.kind === 'withdrawal' && (
          <p className="note">
            {t('If the customer withdrew from the whole order, the shipping cost is refunded in any case.')}
          </p>
        )}
        <p className="note">{t('Return money that was paid by bank transfer or on site yourself.')}</p>
        <DialogFoot work={work} action={t('Refund')} error={amountError ? null : work.error} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}

/** Returns the suggested amount of the first refund, without the shipping cost. */
function useSuggestion({ order_id, lines, keep_goods, fee, refund_ids }: Return): string | undefined {
  const line_items = lines.flatMap(({ line_item_id, quantity, received_quantity }) => {
    const pieces = keep_goods ? quantity : received_quantity;
    return pieces > 0 ? [{ line_item_id, quantity: pieces, shipped: true }] : [];
  });
  const { data } = useQuery({
    queryKey: ['orders', order_id, 'suggestion', line_items, fee],
    queryFn: ({ signal }) => {
      const call = { params: { path: { order_id } }, body: { line_items, fee }, signal };
      return unwrap(api.POST('/api/dashboard/orders/{order_id}/refunds/suggestion', call));
    },
    enabled: refund_ids.length === 0 && line_items.length > 0,
    retry: false,
  });
  return data?.amount;
}
