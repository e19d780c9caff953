import { unwrap } from '@commerce-backend/sdk';
import { type FormEvent, useState } from 'react';
import { api, fieldError } from '../../api.ts';
import { useFormat } from '../../format.ts';
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

/** Refunds the items that arrived. Without a typed amount it is the suggested one. */
export function ReturnRefundDialog({ found, onClose }: { found: Return; onClose: () => void }) {
  const { money } = useFormat();
  const [amount, setAmount] = useState('');
  const params = { path: { return_id: found.id } };
  const work = useReturnAct(
    (body: Refund) => unwrap(api.POST('/api/dashboard/returns/{return_id}/refund', { params, body })),
    { said: 'The refund is recorded. The customer receives an e-mail.', onDone: onClose, quiet: true },
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
  const fee = Number(found.fee) > 0 ? ` minus the fee of ${money(found.fee, found.currency)}` : '';
  return (
    <Dialog open onClose={onClose} title={`Refund return ${found.number}`}>
      <Form busy={work.isPending} onSubmit={submit}>
        <AmountField
          label={`Amount in ${found.currency}`}
          value={amount}
          onValue={setAmount}
          hint={`Left empty: the price of the items after discounts${fee}.`}
          error={amountError}
        />
        <Checkbox name="shipping" label="Refund the shipping cost, too" />
        <TextArea label="Note for staff" name="note" rows={2} maxLength={5000} />
        <Checkbox name="close" label="Close the return" defaultChecked />
        <DialogFoot work={work} action="Refund" error={amountError ? null : work.error} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
