import { unwrap } from '@commerce-backend/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { Button } from '../../ui/button.tsx';
import { SearchField } from '../../ui/search-field.tsx';

/** A line of the new draft, as entered. */
export interface NewLine {
  variant_id: string;
  name: string;
  quantity: string;
  /** Empty for the variant's own price. */
  price: string;
}

/** Searches variants. Each result has a button that adds it to the draft. */
export function FindVariants({ taken, onAdd }: { taken: string[]; onAdd: (line: NewLine) => void }) {
  const [q, setQ] = useState('');
  const found = useQuery({
    queryKey: ['inventory', 'find', q],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/dashboard/inventory', { params: { query: { q, limit: 8 } }, signal })),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });
  return (
    <div className="add-products">
      <SearchField label="Find products to add" placeholder="Name, SKU" value={q} onSearch={setQ} />
      {q !== '' && found.data && (
        <ul aria-label="Found products">
          {found.data.inventory.length === 0 && <li>No products found.</li>}
          {found.data.inventory.map(({ variant_id, product_name, variant_name, sku }) => {
            const name = [product_name, variant_name].filter(Boolean).join(', ');
            const isTaken = taken.includes(variant_id);
            return (
              <li key={variant_id}>
                {name} {sku}
                <Button
                  disabled={isTaken}
                  aria-label={isTaken ? `${name} is added` : `Add ${name}`}
                  onClick={() => onAdd({ variant_id, name, quantity: '1', price: '' })}
                >
                  {isTaken ? 'Added' : 'Add'}
                </Button>
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}
