import { unwrap } from '@commerce-backend/sdk';
import type { FormEvent } from 'react';
import { api, fieldError } from '../../../api.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { DialogFoot } from '../../../ui/form-error.tsx';
import { Form } from '../../../ui/held.tsx';
import { textIn } from '../bulk-ship.tsx';
import type { OrderDetails } from '../order-queries.ts';
import { lineName } from '../texts.ts';
import { useAct } from './use-act.ts';

/** Records a parcel: which items it contains, which carrier takes it, and how to follow it. */
export function ShipDialog({ order, onClose }: { order: OrderDetails; onClose: () => void }) {
  const open = openLines(order);
  const params = { path: { order_id: order.id } };
  const work = useAct(
    (body: Parcel) => unwrap(api.POST('/api/dashboard/orders/{order_id}/fulfillments', { params, body })),
    { said: `Shipped. The customer receives an e-mail.`, onDone: onClose, quiet: true },
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    work.mutate(parcelOf(new FormData(event.currentTarget), open));
  };
  const urlError = fieldError(work.error, 'tracking_url');
  return (
    <Dialog open onClose={onClose} title={`Ship order ${order.order_number}`}>
      <Form busy={work.isPending} onSubmit={submit}>
        <fieldset className="pieces">
          <legend>Items in the parcel</legend>
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
              hint={`${left} to ship`}
              required
            />
          ))}
        </fieldset>
        <div className="fields-2">
          <TextField label="Carrier" name="carrier" maxLength={255} autoComplete="off" />
          <TextField label="Tracking number" name="tracking_number" maxLength={255} autoComplete="off" />
        </div>
        <TextField
          label="Tracking address"
          name="tracking_url"
          type="url"
          maxLength={2048}
          hint="The carrier's page for this parcel. Optional."
          error={urlError}
        />
        <DialogFoot work={work} action="Ship" error={urlError ? null : work.error} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}

interface OpenLine {
  id: string;
  name: string;
  left: number;
}

interface Parcel {
  items?: { line_item_id: string; quantity: number }[];
  carrier: string | null;
  tracking_number: string | null;
  tracking_url: string | null;
}

/** The lines of which something is left to ship. */
function openLines({ line_items, line_states }: OrderDetails): OpenLine[] {
  return line_states.flatMap(({ line_item_id: id, to_fulfill: left }) => {
    const line = line_items.find((one) => one.id === id);
    return line && left > 0 ? [{ id, name: lineName(line), left }] : [];
  });
}

/** The parcel of a form. If it contains everything that is left, it lists no lines, because the API then ships everything. */
function parcelOf(form: FormData, open: OpenLine[]): Parcel {
  const chosen = open.map(({ id, left }) => ({ line_item_id: id, quantity: Number(form.get(`line ${id}`)), left }));
  const isAll = chosen.every(({ quantity, left }) => quantity === left);
  const items = chosen.filter(({ quantity }) => quantity > 0).map(({ left: _, ...item }) => item);
  return {
    ...(!isAll && { items }),
    carrier: textIn(form, 'carrier'),
    tracking_number: textIn(form, 'tracking_number'),
    tracking_url: textIn(form, 'tracking_url'),
  };
}
