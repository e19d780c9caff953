import { unwrap } from '@commerce-backend/sdk';
import type { FormEvent } from 'react';
import { api, fieldError } from '../../../api.ts';
import { t } from '../../../language/texts.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { DialogFoot } from '../../../ui/form-error.tsx';
import { Form } from '../../../ui/held.tsx';
import { isDisputed } from '../disputes.tsx';
import type { OrderDetails } from '../order-queries.ts';
import { lineName } from '../texts.ts';
import { type Tracking, TrackingFields, trackingOf } from './tracking-fields.tsx';
import { useAct } from './use-act.ts';

/** Records a parcel with its items, carrier and tracking number. */
export function ShipDialog({ order, onClose }: { order: OrderDetails; onClose: () => void }) {
  const open = openLines(order);
  const disputed = isDisputed(order);
  const params = { path: { order_id: order.id } };
  const work = useAct(
    (body: Parcel) => unwrap(api.POST('/api/dashboard/orders/{order_id}/fulfillments', { params, body })),
    { said: t('Shipped. The customer receives an e-mail.'), onDone: onClose, quiet: true },
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const parcel = parcelOf(new FormData(event.currentTarget), open);
    work.mutate({ ...parcel, ...(disputed && { override_dispute: true }) });
  };
  const urlError = fieldError(work.error, 'tracking_url');
  return (
    <Dialog open onClose={onClose} title={t('Ship order {order_number}', { order_number: order.order_number })}>
      <Form busy={work.isPending} onSubmit={submit}>
        {disputed && (
          <p className="note">
            {t(
              'The customer disputes the payment at the bank. If you ship now and lose the dispute, you lose the goods and the money.',
            )}
          </p>
        )}
        <fieldset className="pieces">
          <legend>{t('Items in the parcel')}</legend>
          {open.map(({ id, name, left }) => (
            <TextField
              key={id}
              label={name}
              name={`line ${id}`}
              type="number"
              min={0}
              max={left}
              step={1}
              defaultValue={left}
              hint={t('{left} to ship', { left })}
              required
            />
          ))}
        </fieldset>
        <TrackingFields urlError={urlError} />
        <DialogFoot
          work={work}
          action={disputed ? t('Ship anyway') : t('Ship')}
          error={urlError ? null : work.error}
          onCancel={onClose}
        />
      </Form>
    </Dialog>
  );
}

interface OpenLine {
  id: string;
  name: string;
  left: number;
}

interface Parcel extends Tracking {
  items?: { line_item_id: string; quantity: number }[];
  override_dispute?: boolean;
}

/** Order lines with units that were not shipped yet. */
function openLines({ line_items, line_states }: OrderDetails): OpenLine[] {
  return line_states.flatMap(({ line_item_id: id, to_fulfill: left }) => {
    const line = line_items.find((one) => one.id === id);
    return line && left > 0 ? [{ id, name: lineName(line), left }] : [];
  });
}

/**
 * Converts the form to the API's request body. Without line items the API ships everything, so they are omitted for a
 * parcel with all remaining items.
 */
function parcelOf(form: FormData, open: OpenLine[]): Parcel {
  const chosen = open.map(({ id, left }) => ({ line_item_id: id, quantity: Number(form.get(`line ${id}`)), left }));
  const isAll = chosen.every(({ quantity, left }) => quantity === left);
  const items = chosen.filter(({ quantity }) => quantity > 0).map(({ left: _, ...item }) => item);
  return { ...(!isAll && { items }), ...trackingOf(form) };
}
