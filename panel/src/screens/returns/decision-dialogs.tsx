import { unwrap } from '@commerce-backend/sdk';
import type { FormEvent, ReactNode } from 'react';
import { api, fieldError } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox, TextArea, TextField } from '../../ui/field.tsx';
import { DialogFoot } from '../../ui/form-error.tsx';
import { Form } from '../../ui/held.tsx';
import { textIn } from '../orders/bulk-ship.tsx';
import { type Return, useReturnAct } from './return-queries.ts';

interface DialogProps {
  found: Return;
  onClose: () => void;
}

const at = ({ id }: Return) => ({ params: { path: { return_id: id } } });

/** A dialog that submits a form. */
function FormDialog<Body>({
  title,
  action,
  work,
  read,
  error,
  onClose,
  children,
}: {
  title: string;
  action: string;
  work: { mutate: (body: Body) => void; isPending: boolean; error: Error | null };
  read: (form: FormData) => Body;
  /** The error of the call, if a field shows it; the footer then shows none. */
  error: string | undefined;
  onClose: () => void;
  children: ReactNode;
}) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    work.mutate(read(new FormData(event.currentTarget)));
  };
  return (
    <Dialog open onClose={onClose} title={title}>
      <Form busy={work.isPending} onSubmit={submit}>
        {children}
        <DialogFoot work={work} action={action} error={error ? null : work.error} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}

export function ApproveDialog({ found, onClose }: DialogProps) {
  const work = useReturnAct(
    (body: { keep_goods: boolean; shipping: { label_url: string | null } }) =>
      unwrap(api.POST('/api/dashboard/returns/{return_id}/approve', { ...at(found), body })),
    {
      said: t('Return {number} is approved. The customer receives an e-mail.', { number: found.number }),
      onDone: onClose,
      quiet: true,
    },
  );
  const error = fieldError(work.error, 'label_url');
  const read = (form: FormData) => ({
    keep_goods: form.has('keep_goods'),
    shipping: { label_url: textIn(form, 'label_url') },
  });
  return (
    <FormDialog
      title={t('Approve the return')}
      action={t('Approve')}
      work={work}
      read={read}
      error={error}
      onClose={onClose}
    >
      <TextField
        label={t('Link to the shipping label')}
        name="label_url"
        type="url"
        placeholder="https://"
        hint={t('The e-mail also has the return address and the instructions, if the settings contain them.')}
        error={error}
      />
      <Checkbox name="keep_goods" label={t('The customer keeps the goods')} hint={t('You can refund at once.')} />
    </FormDialog>
  );
}

export function DeclineDialog({ found, onClose }: DialogProps) {
  const work = useReturnAct(
    (reason: string) =>
      unwrap(api.POST('/api/dashboard/returns/{return_id}/decline', { ...at(found), body: { reason } })),
    {
      said: t('Return {number} is declined. The customer receives an e-mail.', { number: found.number }),
      onDone: onClose,
      quiet: true,
    },
  );
  const error = fieldError(work.error, 'reason');
  const read = (form: FormData) => textIn(form, 'reason') ?? '';
  return (
    <FormDialog
      title={t('Decline the return')}
      action={t('Decline')}
      work={work}
      read={read}
      error={error}
      onClose={onClose}
    >
      <TextArea
        label={t('Reason')}
        name="reason"
        rows={3}
        maxLength={1000}
        hint={t('The customer reads it.')}
        error={error}
        required
      />
    </FormDialog>
  );
}

export function ReturnTrackingDialog({ found, onClose }: DialogProps) {
  const { carrier, tracking_number } = found.shipping;
  const work = useReturnAct(
    (body: { carrier: string | null; tracking_number: string }) =>
      unwrap(api.POST('/api/dashboard/returns/{return_id}/tracking', { ...at(found), body })),
    { said: t('The tracking is recorded.'), onDone: onClose, quiet: true },
  );
  const error = fieldError(work.error, 'tracking_number');
  const read = (form: FormData) => ({
    carrier: textIn(form, 'carrier'),
    tracking_number: textIn(form, 'tracking_number') ?? '',
  });
  return (
    <FormDialog
      title={t('Tracking of the return')}
      action={t('Save')}
      work={work}
      read={read}
      error={error}
      onClose={onClose}
    >
      <TextField label={t('Carrier')} name="carrier" maxLength={255} defaultValue={carrier ?? ''} />
      <TextField
        label={t('Tracking number')}
        name="tracking_number"
        maxLength={255}
        defaultValue={tracking_number ?? ''}
        error={error}
        required
      />
    </FormDialog>
  );
}

export function CloseDialog({ found, onClose }: DialogProps) {
  const work = useReturnAct(
    (body: { reason: string | null; lost?: boolean }) =>
      unwrap(api.POST('/api/dashboard/returns/{return_id}/close', { ...at(found), body })),
    {
      said: t('Return {number} is closed. The customer receives an e-mail.', { number: found.number }),
      onDone: onClose,
      quiet: true,
    },
  );
  const error = fieldError(work.error, 'reason');
  const isRefunded = found.refund_ids.length > 0;
  const isIncomplete = found.lines.some(({ quantity, received_quantity }) => received_quantity < quantity);
  const read = (form: FormData) => ({ reason: textIn(form, 'reason'), ...(form.has('lost') && { lost: true }) });
  return (
    <FormDialog
      title={t('Close the return')}
      action={t('Close')}
      work={work}
      read={read}
      error={error}
      onClose={onClose}
    >
      {isRefunded ? (
        <p>{t('It is refunded. Items that did not arrive can be returned again.')}</p>
      ) : (
        <TextArea
          label={t('Why the customer gets no money')}
          name="reason"
          rows={3}
          maxLength={1000}
          hint={t('The customer reads it.')}
          error={error}
          required
        />
      )}
      {isIncomplete && !isRefunded && !found.keep_goods && (
        <Checkbox
          name="lost"
          label={t('The missing items were lost on the way back; the customer does not pay for them')}
        />
      )}
    </FormDialog>
  );
}
