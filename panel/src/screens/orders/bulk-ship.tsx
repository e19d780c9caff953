import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, inWords } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toasts.tsx';
import { type Order, ordersChanged } from './order-queries.ts';
import { nameOf } from './texts.ts';

/** Ships whole orders, each with its own tracking number. One that is refused stays in the dialog with the reason. */
export function BulkShip({ orders, onClose, onDone }: { orders: Order[]; onClose: () => void; onDone: () => void }) {
  const [left, setLeft] = useState(orders);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const work = useMutation({
    mutationFn: (form: FormData) => shipAll(left, form),
    onSuccess: async (refused) => {
      await ordersChanged();
      const shipped = left.length - refused.size;
      if (shipped > 0) toast(`${shipped} shipped. The customers are told by mail.`);
      if (refused.size === 0) return onDone();
      setErrors(Object.fromEntries(refused));
      setLeft(left.filter(({ id }) => refused.has(id)));
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    work.mutate(new FormData(event.currentTarget));
  };
  return (
    <Dialog open onClose={onClose} title={`Ship ${left.length} orders`}>
      <form onSubmit={submit}>
        <TextField
          label="Carrier"
          name="carrier"
          maxLength={255}
          hint="For all of them, such as DHL. May stay empty."
        />
        {left.map((order) => (
          <TextField
            key={order.id}
            label={`Tracking number of ${order.order_number}, ${nameOf(order)}`}
            name={order.id}
            maxLength={255}
            error={errors[order.id]}
          />
        ))}
        <footer>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" busy={work.isPending}>
            Ship
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

/** One after the other; resolves to why which of them were refused. */
async function shipAll(orders: Order[], form: FormData): Promise<Map<string, string>> {
  const refused = new Map<string, string>();
  for (const { id: order_id } of orders) {
    const body = { carrier: textIn(form, 'carrier'), tracking_number: textIn(form, order_id) };
    const params = { path: { order_id } };
    try {
      await unwrap(api.POST('/api/dashboard/orders/{order_id}/fulfillments', { params, body }));
    } catch (error) {
      refused.set(order_id, inWords(error));
    }
  }
  return refused;
}

export function textIn(form: FormData, name: string): string | null {
  return String(form.get(name) ?? '').trim() || null;
}
