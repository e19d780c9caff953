import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, type Schemas } from '../../../api.ts';
import { useFormat } from '../../../format.ts';
import { rich } from '../../../language/rich.tsx';
import { t } from '../../../language/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { FormError } from '../../../ui/form-error.tsx';
import { Form } from '../../../ui/held.tsx';
import type { OrderDetails } from '../order-queries.ts';
import { lineName } from '../texts.ts';
import { useAct } from './use-act.ts';
import { VariantSearch } from './variant-search.tsx';

type OrderEditInput = Schemas['OrderEditInput'];

interface Added {
  variant_id: string;
  name: string;
  quantity: number;
}

/** Changes the unshipped items of an order. The new total is shown before anything changes. */
export function EditDialog({ order, onClose }: { order: OrderDetails; onClose: () => void }) {
  const [quantities, setQuantities] = useState<Record<string, number>>({});
  const [added, setAdded] = useState<Added[]>([]);
  const params = { path: { order_id: order.id } };
  const send = (body: OrderEditInput) => unwrap(api.POST('/api/dashboard/orders/{order_id}/edit', { params, body }));
  const preview = useMutation<Schemas['OrderEdit'], Error>({ mutationFn: () => send({ ...wanted, dry_run: true }) });
  const work = useAct((expected_total: string) => send({ ...wanted, expected_total }), {
    said: t('The order is changed. The customer receives an e-mail.'),
    onDone: onClose,
    quiet: true,
  });
  const wanted = wantedOf(order, quantities, added);
  const seen = preview.data;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (seen) work.mutate(seen.expected_total);
    else preview.mutate();
  };
  // A change makes the shown total outdated.
  const changed = () => preview.reset();
  return (
    <Dialog open onClose={onClose} title={t('Edit order {order_number}', { order_number: order.order_number })}>
      <Form busy={work.isPending || preview.isPending} onSubmit={submit}>
        <fieldset className="pieces">
          <legend>{t('Items')}</legend>
          {editableLines(order).map(({ id, name, quantity, minimum }) => (
            <TextField
              key={id}
              label={name}
              type="number"
              min={minimum}
              max={10_000}
              step={1}
              value={quantities[id] ?? quantity}
              hint={minimum > 0 ? t('{minimum} of them cannot be taken out', { minimum }) : undefined}
              onChange={(event) => {
                setQuantities({ ...quantities, [id]: Number(event.target.value) });
                changed();
              }}
              required
            />
          ))}
          {added.map((one) => (
            <TextField
              key={one.variant_id}
              label={t('{name} (new)', { name: one.name })}
              type="number"
              min={0}
              max={10_000}
              step={1}
              value={one.quantity}
              onChange={(event) => {
                const quantity = Number(event.target.value);
                setAdded(added.map((each) => (each.variant_id === one.variant_id ? { ...each, quantity } : each)));
                changed();
              }}
              required
            />
          ))}
        </fieldset>
        <VariantSearch
          onChoose={({ variant_id, name }) => {
            if (!added.some((one) => one.variant_id === variant_id))
              setAdded([...added, { variant_id, name, quantity: 1 }]);
            changed();
          }}
        />
        {seen && <Outcome before={order} after={seen.order} />}
        <FormError error={work.error ?? preview.error} />
        <footer>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" kind="primary" busy={work.isPending || preview.isPending}>
            {seen ? t('Save the changes') : t('Show the new total')}
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}

function Outcome({ before, after }: { before: OrderDetails; after: OrderDetails }) {
  const { money } = useFormat();
  const { currency, amount_due, refund_due, total } = after;
  return (
    <p className="note" role="status">
      {rich('The total changes from {total} to {strong}.', {
        total: money(before.total, currency),
        strong: <strong>{money(total, currency)}</strong>,
      })}
      {Number(amount_due) > 0 &&
        ` ${t('The customer still has to pay {amount_due}.', { amount_due: money(amount_due, currency) })}`}
      {Number(refund_due) > 0 &&
        ` ${t('You owe the customer {refund_due}.', { refund_due: money(refund_due, currency) })}`}
    </p>
  );
}

interface EditableLine {
  id: string;
  name: string;
  quantity: number;
  minimum: number;
}

function editableLines({ line_items, line_states }: OrderDetails): EditableLine[] {
  return line_items.flatMap((line) => {
    const state = line_states.find(({ line_item_id }) => line_item_id === line.id);
    if (!state || state.to_fulfill === 0) return [];
    const { line_item_id: id, to_fulfill } = state;
    return [{ id, name: lineName(line), quantity: line.quantity, minimum: line.quantity - to_fulfill }];
  });
}

function wantedOf(order: OrderDetails, quantities: Record<string, number>, added: Added[]): OrderEditInput {
  const change = editableLines(order).flatMap(({ id, quantity }) => {
    const next = quantities[id] ?? quantity;
    return next === quantity ? [] : [{ line_item_id: id, quantity: next }];
  });
  const add = added.flatMap(({ variant_id, quantity }) => (quantity > 0 ? [{ variant_id, quantity }] : []));
  return { ...(change.length > 0 && { change }), ...(add.length > 0 && { add }) };
}
