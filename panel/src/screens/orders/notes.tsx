import { unwrap } from '@commerce-backend/sdk';
import { api } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { fieldsOf } from '../../ui/form/fields.tsx';
import { FormFrame } from '../../ui/form/frames.tsx';
import { useEditing } from '../../ui/form/use-editing.ts';
import { Card } from '../../ui/page.tsx';
import { toast, toastUndo } from '../../ui/toasts.tsx';
import { type OrderDetails, ordersChanged } from './order-queries.ts';

type Note = Pick<OrderDetails, 'staff_note'>;

const Field = fieldsOf<Note>();

/** The staff note, which customers never see. */
export function Notes({ order: { id, staff_note } }: { order: OrderDetails }) {
  const can = useCan();
  const write = (body: Note) =>
    unwrap(api.PATCH('/api/dashboard/orders/{order_id}', { params: { path: { order_id: id } }, body }));
  const restore = async () => {
    await write({ staff_note });
    await ordersChanged();
  };
  const editing = useEditing<Note>(
    { data: { staff_note }, etag: undefined },
    {
      send: async (data) => {
        const body = { staff_note: data.staff_note?.trim() || null };
        await write(body);
        return { data: body, etag: undefined };
      },
      onSaved: async ({ data }) => {
        await ordersChanged();
        if (data.staff_note === null) toastUndo(t('The note is removed.'), restore);
        else toast(t('The note is saved.'));
      },
    },
  );
  if (!can('orders:write')) {
    return staff_note ? (
      <Card title={t('Staff note')}>
        <p className="written">{staff_note}</p>
      </Card>
    ) : null;
  }
  return (
    <Card>
      <FormFrame editing={editing} action={t('Save note')} writable>
        <Field.Area
          name="staff_note"
          label={t('Staff note')}
          rows={3}
          maxLength={5000}
          hint={t('Customers never see it.')}
        />
      </FormFrame>
    </Card>
  );
}
