import { unwrap } from '@commerce-backend/sdk';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { api, readAgain } from '../../api.ts';
import { useCan } from '../../session/use-me.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, TextArea, TextField } from '../../ui/field.tsx';
import { DialogFoot } from '../../ui/form-error.tsx';
import { Form } from '../../ui/held.tsx';
import { AmountField } from '../../ui/number-field.tsx';
import { Card, Page } from '../../ui/page.tsx';
import { VariantSearch } from '../orders/actions/variant-search.tsx';
import { textIn } from '../orders/bulk-ship.tsx';
import { useDraftAct } from './draft-queries.ts';

interface NewLine {
  variant_id: string;
  name: string;
  quantity: string;
  /** Empty for the variant's own price. */
  price: string;
}

/** A new draft order. The customer enters the address and chooses the delivery when accepting it. */
export function NewDraft() {
  const can = useCan();
  const [, navigate] = useLocation();
  const [lines, setLines] = useState<NewLine[]>([]);
  const work = useDraftAct(create, 'The draft is created.');
  const change = (at: number, changed: Partial<NewLine>) =>
    setLines(lines.map((line, i) => (i === at ? { ...line, ...changed } : line)));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    work.mutate({ form, lines }, { onSuccess: (id) => navigate(`/drafts/${id}`) });
  };
  return (
    <Page title="New draft" back={{ to: '/drafts', label: 'Drafts' }}>
      <Form busy={work.isPending} onSubmit={submit}>
        <Card title="Items">
          <VariantSearch
            onChoose={(found) => {
              if (lines.some(({ variant_id }) => variant_id === found.variant_id)) return;
              setLines([...lines, { ...found, quantity: '1', price: '' }]);
            }}
          />
          {lines.map((line, at) => (
            <div className="fields-2" key={line.variant_id}>
              <TextField
                label={`Quantity of ${line.name}`}
                inputMode="numeric"
                value={line.quantity}
                onChange={({ target }) => change(at, { quantity: target.value })}
                required
              />
              {can('orders:payments') && (
                <AmountField
                  label="Price of its own"
                  hint="Empty for the normal price."
                  value={line.price}
                  onValue={(price) => change(at, { price })}
                />
              )}
              <div>
                <Button
                  kind="quiet"
                  aria-label={`Remove ${line.name}`}
                  onClick={() => setLines(lines.filter((_, i) => i !== at))}
                >
                  Remove
                </Button>
              </div>
            </div>
          ))}
        </Card>
        <Card title="Customer">
          <TextField
            label="E-mail"
            name="email"
            type="email"
            required
            hint="With the e-mail of a customer, the draft belongs to them."
          />
          <TextArea label="Note for the customer" name="note" maxLength={5000} />
          {can('orders:payments') && (
            <div className="fields-2">
              <TextField label="Discount in percent" name="discount" inputMode="decimal" />
              <TextField label="Reason of the discount" name="reason" maxLength={255} />
            </div>
          )}
          <Checkbox label="Reserve the stock once it is sent" name="reserve" />
        </Card>
        <DialogFoot work={work} action="Create draft" error={work.error} onCancel={() => navigate('/drafts')} />
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
    lines: lines.map(({ variant_id, quantity, price }) => ({
      variant_id,
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

async function customerWith(email: string): Promise<string | null> {
  const query = { q: email, limit: 20 };
  const { customers } = await unwrap(api.GET('/api/dashboard/customers', { params: { query } }));
  return customers.find((customer) => customer.email.toLowerCase() === email.toLowerCase())?.id ?? null;
}
