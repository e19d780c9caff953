import { unwrap } from '@commerce-backend/sdk';
import { type FormEvent, useState } from 'react';
import { api, type Schemas } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { DialogFoot } from '../../ui/form-error.tsx';
import { Form } from '../../ui/held.tsx';
import { useDecision, type Withdrawal } from './withdrawal-queries.ts';

type ConfirmedLine = Pick<Schemas['Withdrawal']['lines'][number], 'line_item_id' | 'quantity'>;

const NOTHING = t('Enter at least one item. To refund nothing, close the withdrawal.');

/** Confirms all or some of the withheld items. Staff choose them, because consumers may have named them in a text. */
export function ConfirmDialog({ found, onClose }: { found: Withdrawal; onClose: () => void }) {
  const params = { path: { withdrawal_id: found.id } };
  const confirm = useDecision(
    (lines: ConfirmedLine[]) =>
      unwrap(api.POST('/api/dashboard/withdrawals/{withdrawal_id}/confirm', { params, body: { lines } })),
    t('The withdrawal is confirmed.'),
    onClose,
  );
  const [error, setError] = useState<string>();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const lines = found.lines.map(({ line_item_id }) => ({
      line_item_id,
      quantity: Number(form.get(`quantity ${line_item_id}`)),
    }));
    const confirmed = lines.filter(({ quantity }) => quantity > 0);
    setError(confirmed.length === 0 ? NOTHING : undefined);
    if (confirmed.length > 0) confirm.mutate(confirmed);
  };
  return (
    <Dialog open onClose={onClose} title={t('Confirm the withdrawal')}>
      <Form busy={confirm.isPending} onSubmit={submit}>
        <p>
          {t(
            'These items are removed from the order, restocked and refunded. The others can ship again. Return money that was paid by bank transfer or on site yourself.',
          )}
        </p>
        {found.items && <p>{t('The customer wrote: {items}', { items: found.items })}</p>}
        {found.lines.map(({ line_item_id, name, variant_name, quantity }) => (
          <TextField
            key={line_item_id}
            label={variant_name ? `${name}, ${variant_name}` : name}
            name={`quantity ${line_item_id}`}
            type="number"
            min={0}
            max={quantity}
            step={1}
            defaultValue={quantity}
            hint={t('of {quantity} withheld', { quantity })}
            required
          />
        ))}
        <DialogFoot work={confirm} action={t('Confirm and refund')} error={error} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
