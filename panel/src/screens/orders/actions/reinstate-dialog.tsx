import { CommerceError, unwrap } from '@commerce-backend/sdk';
import type { FormEvent } from 'react';
import { api } from '../../../api.ts';
import { useFormat } from '../../../format.ts';
import { t } from '../../../language/texts.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Checkbox } from '../../../ui/field.tsx';
import { DialogFoot } from '../../../ui/form-error.tsx';
import { Form } from '../../../ui/held.tsx';
import type { OrderDetails } from '../order-queries.ts';
import { useAct } from './use-act.ts';

/** Marks an expired order as paid and confirmed. If prices have changed, offers to keep the order's prices. */
export function ReinstateDialog({ order, onClose }: { order: OrderDetails; onClose: () => void }) {
  const { money } = useFormat();
  const params = { path: { order_id: order.id } };
  const work = useAct(
    (keep_prices: boolean) =>
      unwrap(api.POST('/api/dashboard/orders/{order_id}/reinstate', { params, body: { keep_prices } })),
    {
      said: t('Order {order_number} is reinstated. The customer is notified by mail.', {
        order_number: order.order_number,
      }),
      onDone: onClose,
      quiet: true,
    },
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    work.mutate(new FormData(event.currentTarget).has('keep_prices'));
  };
  const pricesChanged = work.error instanceof CommerceError && work.error.code === 'order_prices_changed';
  return (
    <Dialog open onClose={onClose} title={t('Reinstate order {order_number}?', { order_number: order.order_number })}>
      <Form busy={work.isPending} onSubmit={submit}>
        <p>
          {t(
            'The order becomes paid with the {refundable} that arrived. Its pieces are taken from stock again, and its discount code is redeemed again.',
            { refundable: money(order.refundable, order.currency) },
          )}
        </p>
        {pricesChanged && (
          <Checkbox
            label={t('Keep the prices of the order')}
            name="keep_prices"
            hint={t('Prices of products in the order have changed since.')}
          />
        )}
        <DialogFoot work={work} action={t('Reinstate')} error={pricesChanged ? null : work.error} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
