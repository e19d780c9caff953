import { unwrap } from '@commerce-backend/sdk';
import { type FormEvent, useState } from 'react';
import { api } from '../../api.ts';
import { label } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox, Select, TextArea, TextField } from '../../ui/field.tsx';
import { DialogFoot } from '../../ui/form-error.tsx';
import { Form } from '../../ui/held.tsx';
import { textIn } from '../orders/bulk-ship.tsx';
import type { OrderDetails } from '../orders/order-queries.ts';
import { lineName } from '../orders/texts.ts';
import { REASONS, useReturnAct } from './return-queries.ts';

const NOTHING = t('Enter at least one item to return.');

interface NewReturn {
  lines: { line_item_id: string; quantity: number; reason: (typeof REASONS)[number] }[];
  staff_note: string | null;
  override_policy: boolean;
}

/** Creates a return of shipped items, which is approved immediately. */
export function CreateReturnDialog({ order, onClose }: { order: OrderDetails; onClose: () => void }) {
  const [pieces, setPieces] = useState<Record<string, number>>({});
  const work = useReturnAct(
    (body: NewReturn) => unwrap(api.POST('/api/dashboard/returns', { body: { order_id: order.id, ...body } })),
    { said: t('The return is created. The customer receives an e-mail.'), onDone: onClose, quiet: true },
  );
  const [isEmpty, setEmpty] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const reason = REASONS.find((each) => each === form.get('reason')) ?? 'other';
    const chosen = Object.entries(pieces).filter(([, quantity]) => quantity > 0);
    setEmpty(chosen.length === 0);
    if (chosen.length === 0) return;
    work.mutate({
      lines: chosen.map(([line_item_id, quantity]) => ({ line_item_id, quantity, reason })),
      staff_note: textIn(form, 'staff_note'),
      override_policy: form.has('override_policy'),
    });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('Return items of order {order_number}', { order_number: order.order_number })}
    >
      <Form busy={work.isPending} onSubmit={submit}>
        <fieldset className="pieces">
          <legend>{t('Items to return')}</legend>
          {order.line_items.map((line) => {
            const { id } = line;
            const left = order.line_states.find(({ line_item_id }) => line_item_id === id)?.returnable ?? 0;
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
                onChange={(event) => setPieces({ ...pieces, [id]: Number(event.target.value) })}
              />
            );
          })}
        </fieldset>
        <Select label={t('Reason')} name="reason">
          {REASONS.map((each) => (
            <option key={each} value={each}>
              {label(each)}
            </option>
          ))}
        </Select>
        <TextArea label={t('Note for staff')} name="staff_note" rows={2} maxLength={5000} />
        <Checkbox
          name="override_policy"
          label={t('Accept it against the return policy')}
          hint={t('After the period, or if a product cannot be returned.')}
        />
        <DialogFoot work={work} action={t('Create return')} error={isEmpty ? NOTHING : work.error} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
