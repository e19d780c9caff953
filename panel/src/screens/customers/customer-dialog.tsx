import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { api, fieldError, readAgain, type Schemas } from '../../api.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { differences, textOrNull } from '../../ui/draft.ts';
import { Checkbox, TextArea, TextField } from '../../ui/field.tsx';
import { DialogFoot } from '../../ui/form-error.tsx';
import { Form } from '../../ui/held.tsx';
import { toast } from '../../ui/toasts.tsx';

type Customer = Schemas['CustomerRecord'];

const texts = [
  ['first_name', 'First name'],
  ['last_name', 'Last name'],
  ['phone', 'Phone'],
] as const;

/** Adds a customer, or changes one. */
export function CustomerDialog({ customer, onClose }: { customer?: Customer; onClose: () => void }) {
  const [, navigate] = useLocation();
  // What the fields began with: the customer may be read anew while they are edited.
  const [base] = useState(customer);
  const save = useMutation({
    mutationFn: (form: FormData) => send(base, form),
    onSuccess: async () => {
      await readAgain('customers');
      toast('Saved.');
    },
  });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const onSuccess = ({ id }: Customer) => {
      onClose();
      if (!base) navigate(`/customers/${id}`);
    };
    save.mutate(new FormData(event.currentTarget), { onSuccess });
  }
  return (
    <Dialog open onClose={onClose} title={customer ? 'Change the customer' : 'New customer'}>
      <Form busy={save.isPending} onSubmit={submit}>
        <TextField
          label="E-mail"
          name="email"
          type="email"
          defaultValue={customer?.email}
          error={fieldError(save.error, 'email')}
          required
        />
        <div className="fields-2">
          {texts.map(([field, label]) => (
            <TextField
              key={field}
              label={label}
              name={field}
              defaultValue={customer?.[field] ?? ''}
              error={fieldError(save.error, field)}
            />
          ))}
        </div>
        <TextArea label="Note for staff" name="note" defaultValue={customer?.note ?? ''} />
        <Checkbox
          label="Wants mails about offers"
          name="marketing_opt_in"
          hint="Only with the customer’s own consent."
          defaultChecked={customer?.marketing_opt_in ?? false}
        />
        <DialogFoot work={save} action="Save" onCancel={onClose} />
      </Form>
    </Dialog>
  );
}

async function send(customer: Customer | undefined, form: FormData): Promise<Customer> {
  const text = (name: string) => String(form.get(name) ?? '');
  const body = {
    email: text('email').trim(),
    first_name: textOrNull(text('first_name')),
    last_name: textOrNull(text('last_name')),
    phone: textOrNull(text('phone')),
    note: textOrNull(text('note')),
    marketing_opt_in: form.get('marketing_opt_in') !== null,
  };
  if (customer === undefined) return unwrap(api.POST('/api/dashboard/customers', { body }));
  const changes = differences(customer, body);
  if (Object.keys(changes).length === 0) return customer;
  const params = { path: { customer_id: customer.id } };
  return unwrap(api.PATCH('/api/dashboard/customers/{customer_id}', { params, body: changes }));
}
