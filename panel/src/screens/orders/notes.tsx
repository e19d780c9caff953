import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { api, inWords } from '../../api.ts';
import { useCan } from '../../session/use-me.ts';
import { Button } from '../../ui/button.tsx';
import { useDraft } from '../../ui/draft.ts';
import { TextArea } from '../../ui/field.tsx';
import { Form } from '../../ui/held.tsx';
import { Card } from '../../ui/page.tsx';
import { toast } from '../../ui/toasts.tsx';
import { UnsavedGuard } from '../../ui/unsaved.tsx';
import { type OrderDetails, ordersChanged } from './order-queries.ts';

/** The note for staff, which no customer sees. */
export function Notes({ order }: { order: OrderDetails }) {
  const can = useCan();
  const { draft, set } = useDraft({ text: order.staff_note ?? '' });
  const { text } = draft;
  const save = useMutation({
    mutationFn: () => {
      const params = { path: { order_id: order.id } };
      const body = { staff_note: text.trim() || null };
      return unwrap(api.PATCH('/api/dashboard/orders/{order_id}', { params, body }));
    },
    onSuccess: async () => {
      await ordersChanged();
      toast('The note is saved.');
    },
  });
  if (!can('orders:write')) {
    return order.staff_note ? (
      <Card title="Staff note">
        <p className="written">{order.staff_note}</p>
      </Card>
    ) : null;
  }
  const changed = text.trim() !== (order.staff_note ?? '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <div className="card">
      <UnsavedGuard dirty={changed} />
      <Form busy={save.isPending} onSubmit={submit}>
        <TextArea
          label="Staff note"
          rows={3}
          maxLength={5000}
          hint="Customers never see it."
          value={text}
          onChange={(event) => set({ text: event.target.value })}
          error={save.error ? inWords(save.error) : undefined}
        />
        <footer>
          <Button type="submit" busy={save.isPending} disabled={!changed}>
            Save note
          </Button>
        </footer>
      </Form>
    </div>
  );
}
