import { unwrap } from '@commerce-backend/sdk';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { api, readAgain } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Checkbox, TextArea, TextField } from '../../ui/field.tsx';
import { DialogFoot } from '../../ui/form-error.tsx';
import { Form } from '../../ui/held.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { textIn } from '../orders/bulk-ship.tsx';
import { useDraftAct } from './draft-queries.ts';
import { type NewLine, NewLines } from './new-lines.tsx';

/** A new draft order. The customer enters the address and chooses the delivery when accepting it. */
export function NewDraft() {
  const can = useCan();
  const [, navigate] = useLocation();
  const [lines, setLines] = useState<NewLine[]>([]);
  const work = useDraftAct(create, t('The draft is created.'));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    work.mutate({ form, lines }, { onSuccess: (id) => navigate(`/drafts/${id}`) });
  };
  return (
    <Page title={t('New draft')} back={{ to: '/drafts', label: t('Drafts') }}>
      <Form busy={work.isPending} onSubmit={submit}>
        <NewLines lines={lines} onLines={setLines} />
        <Card title={t('Customer')}>
          <TextField
            label={t('E-mail')}
            name="email"
            type="email"
            required
            hint={t('With the e-mail of a customer, the draft belongs to them.')}
          />
          <TextArea label={t('Note for the customer')} name="note" maxLength={5000} />
          {can('orders:payments') && (
            <div className="fields-2">
              <TextField label={t('Discount in percent')} name="discount" inputMode="decimal" />
              <TextField label={t('Reason of the discount')} name="reason" maxLength={255} />
            </div>
          )}
          <Checkbox label={t('Reserve the stock once it is sent')} name="reserve" />
        </Card>
        <DialogFoot work={work} action={t('Create draft')} error={work.error} onCancel={() => navigate('/drafts')} />
      </Form>
    </Page>
  );
}

async function create({ form, lines }: { form: FormData; lines: NewLine[] }): Promise<string> {
  const email = textIn(form, 'email');
  const percent = textIn(form, 'discount');
  const body = {
    email,
    customer_id: email && (await customerWith(email)),
    note: textIn(form, 'note'),
    reserve: form.get('reserve') !== null,
    lines: lines.map(({ variant_id, quantity, price, ...custom }) => ({
      ...(variant_id === undefined ? customLine(custom) : { variant_id }),
      quantity: Number(quantity),
      ...(price && { price }),
    })),
    ...(percent && {
      discount: { type: 'percentage' as const, value: percent.replace(',', '.'), reason: textIn(form, 'reason') },
    }),
  };
  const { id } = await unwrap(api.POST('/api/dashboard/draft-orders', { body }));
  await readAgain('drafts');
  return id;
}

function customLine({
  name,
  tax_class,
  requires_shipping,
  withdrawal_exempt,
}: Omit<NewLine, 'variant_id' | 'quantity' | 'price'>) {
  return { name, tax_class, requires_shipping, withdrawal_exempt };
}

async function customerWith(email: string): Promise<string | null> {
  const query = { q: email, limit: 20 };
  const { customers } = await unwrap(api.GET('/api/dashboard/customers', { params: { query } }));
  return customers.find((customer) => customer.email.toLowerCase() === email.toLowerCase())?.id ?? null;
}
