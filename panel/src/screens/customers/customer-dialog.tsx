import { unwrap } from '@commerce-backend/sdk';
import { useLocation } from 'wouter';
import { api, type Inputs, readAgain, type Schemas } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { changesOf } from '../../ui/form/changes.ts';
import { fieldsOf } from '../../ui/form/fields.tsx';
import { DialogFrame } from '../../ui/form/frames.tsx';
import { useEditing } from '../../ui/form/use-editing.ts';
import { toast } from '../../ui/toasts.tsx';

type Customer = Schemas['CustomerRecord'];
type Input = Inputs['CustomerInput'];

const Field = fieldsOf<Input>();

export function CustomerDialog({ customer, onClose }: { customer?: Customer; onClose: () => void }) {
  const can = useCan();
  const [, navigate] = useLocation();
  const stored = { data: (customer ?? { email: '', marketing_opt_in: false }) as Input, etag: undefined };
  const editing = useEditing<Input>(stored, {
    send: async (values, over) => {
      const body = changesOf(customer ? over.data : {}, values);
      const id = await send(customer, body);
      await readAgain('customers');
      toast(t('Saved.'));
      onClose();
      if (!customer) navigate(`/customers/${id}`);
      return { data: values, etag: undefined };
    },
  });
  return (
    <Dialog open onClose={onClose} title={customer ? t('Change the customer') : t('New customer')}>
      <DialogFrame editing={editing} onCancel={onClose}>
        <Field.Text name="email" label={t('E-mail')} type="email" required />
        <div className="fields-2">
          <Field.Text name="first_name" label={t('First name')} />
          <Field.Text name="last_name" label={t('Last name')} />
          <Field.Text name="phone" label={t('Phone')} />
        </div>
        {can('orders:payments') && (
          <div className="fields-2">
            <Field.Whole
              name="payment_terms_days"
              label={t('Days to pay an invoice')}
              hint={t('Empty: the customer cannot pay by invoice.')}
            />
            <Field.Amount name="credit_limit" label={t('Credit limit')} hint={t('Empty: no limit.')} />
          </div>
        )}
        <Field.Area name="note" label={t('Note for staff')} />
        <Field.Tick
          name="marketing_opt_in"
          label={t('Agreed to marketing e-mails')}
          hint={t('Only with the customer’s own consent.')}
        />
      </DialogFrame>
    </Dialog>
  );
}

async function send(customer: Customer | undefined, body: Partial<Input>): Promise<string> {
  if (customer === undefined) {
    return (await unwrap(api.POST('/api/dashboard/customers', { body: body as Input }))).id;
  }
  if (Object.keys(body).length === 0) return customer.id;
  const params = { path: { customer_id: customer.id } };
  return (await unwrap(api.PATCH('/api/dashboard/customers/{customer_id}', { params, body }))).id;
}
