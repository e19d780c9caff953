import { unwrap } from '@commerce-backend/sdk';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../../api.ts';
import { t } from '../../../language/texts.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { Select } from '../../../ui/field.tsx';
import { DialogFoot } from '../../../ui/form-error.tsx';
import { Form } from '../../../ui/held.tsx';
import { Loaded } from '../../../ui/page.tsx';
import type { BulkDialogProps } from './bulk-queries.ts';

/** Adds products to a manual collection or removes them from it. */
export function CollectionDialog({ products, busy, onClose, onChange }: BulkDialogProps) {
  const [removes, setRemoves] = useState(false);
  const [chosen, setChosen] = useState('');
  const collections = useQuery({
    queryKey: ['collections', 'manual'],
    queryFn: ({ signal }) => {
      const params = { query: { type: 'manual' as const, limit: 100 } };
      return unwrap(api.GET('/api/dashboard/collections', { params, signal }));
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange(removes ? { remove_from_collection: chosen } : { add_to_collection: chosen });
  };
  return (
    <Dialog open onClose={onClose} title={t('Collections of {count} products', { count: products.length })}>
      <Loaded query={collections}>
        {(page) =>
          page.collections.length === 0 ? (
            <p>{t('There is no manual collection yet. Products join automatic collections by their rules.')}</p>
          ) : (
            <Form busy={busy} onSubmit={submit}>
              <Select
                label={t('Change')}
                value={removes ? 'remove' : 'add'}
                onChange={(event) => setRemoves(event.target.value === 'remove')}
              >
                <option value="add">{t('Add to a collection')}</option>
                <option value="remove">{t('Remove from a collection')}</option>
              </Select>
              <Select
                label={t('Collection')}
                value={chosen}
                required
                onChange={(event) => setChosen(event.target.value)}
              >
                <option value="">{t('Choose')}</option>
                {page.collections.map(({ id, title }) => (
                  <option key={id} value={id}>
                    {title}
                  </option>
                ))}
              </Select>
              <DialogFoot
                work={{ error: null, isPending: busy }}
                action={removes ? t('Remove from collection') : t('Add to collection')}
                onCancel={onClose}
              />
            </Form>
          )
        }
      </Loaded>
    </Dialog>
  );
}
