import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../api.ts';
import { rejection } from '../../language/sentences.ts';
import { t, tn } from '../../language/texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { DialogFoot } from '../../ui/form-error.tsx';
import { Form } from '../../ui/held.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';
import { type Order, ordersChanged } from './order-queries.ts';
import { nameOf } from './texts.ts';

/** Ships whole orders, each with its own tracking number. Rejected orders stay in the dialog with the reason. */
export function BulkShip({ orders, onClose, onDone }: { orders: Order[]; onClose: () => void; onDone: () => void }) {
  const [left, setLeft] = useState(orders);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const work = useMutation({
    mutationFn: (form: FormData) => shipAll(left, form),
    onSuccess: async (refused) => {
      await ordersChanged();
      const shipped = left.length - refused.size;
      if (shipped > 0) toast(t('{shipped} shipped. The customers receive e-mails.', { shipped }));
      if (refused.size === 0) return onDone();
      setErrors(Object.fromEntries(refused));
      setLeft(left.filter(({ id }) => refused.has(id)));
    },
    onError: toastError,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    work.mutate(new FormData(event.currentTarget));
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={tn(left.length, 'Ship 1 order', 'Ship {count} orders', { count: left.length })}
    >
      <Form busy={work.isPending} onSubmit={submit}>
        <TextField
          label={t('Carrier')}
          name="carrier"
          maxLength={255}
          hint={t('For all of them, such as DHL. Optional.')}
        />
        {left.map((order) => (
          <TextField
            key={order.id}
            label={t('Tracking number of {order_number}, {nameOf}', {
              order_number: order.order_number,
              nameOf: nameOf(order),
            })}
            name={order.id}
            maxLength={255}
            error={errors[order.id]}
          />
        ))}
        <DialogFoot work={work} action={t('Ship')} error={null} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}

/** Maximum number of orders per call. */
const MOST_SHIPPED = 100;

/** Resolves to the error messages of rejected orders, by order id. */
async function shipAll(orders: Order[], form: FormData): Promise<Map<string, string>> {
  const refused = new Map<string, string>();
  for (let start = 0; start < orders.length; start += MOST_SHIPPED) {
    const some = orders.slice(start, start + MOST_SHIPPED);
    const rows = some.map(({ id, order_number }) => ({
      order_number,
      carrier: textIn(form, 'carrier'),
      tracking_number: textIn(form, id),
    }));
    const { results } = await unwrap(api.POST('/api/dashboard/orders/fulfill', { body: { orders: rows } }));
    for (const [i, result] of results.entries()) {
      if (result.status === 'failed') refused.set(some[i]?.id ?? '', rejection(result));
    }
  }
  return refused;
}

export function textIn(form: FormData, name: string): string | null {
  return String(form.get(name) ?? '').trim() || null;
}
