import { unwrap } from '@commerce-backend/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api.ts';
import { t } from '../../../language/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';

const SHOWN = 5;

/** Finds a product to add to an order, by its name or SKU. */
export function VariantSearch({ onChoose }: { onChoose: (found: { variant_id: string; name: string }) => void }) {
  const [text, setText] = useState('');
  const q = text.trim();
  const found = useQuery({
    queryKey: ['inventory', 'search', q],
    enabled: q.length >= 2,
    queryFn: () => unwrap(api.GET('/api/dashboard/inventory', { params: { query: { q, limit: SHOWN } } })),
  });
  const choose = (variant_id: string, name: string) => {
    setText('');
    onChoose({ variant_id, name });
  };
  return (
    <>
      <TextField
        label={t('Add a product')}
        type="search"
        value={text}
        hint={t('Search by name or SKU.')}
        onChange={(event) => setText(event.target.value)}
      />
      {q.length >= 2 && (
        <ul className="records">
          {found.data?.inventory.map(({ variant_id, product_name, variant_name, sku, inventory_quantity }) => {
            const name = [product_name, variant_name].filter(Boolean).join(', ');
            return (
              <li key={variant_id}>
                <Button kind="quiet" onClick={() => choose(variant_id, name)}>
                  {name}
                </Button>{' '}
                <span className="quiet-text">
                  {[sku, t('{inventory_quantity} available', { inventory_quantity })].filter(Boolean).join(', ')}
                </span>
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}
