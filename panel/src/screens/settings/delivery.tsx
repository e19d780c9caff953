import { unwrap } from '@commerce-backend/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, readAgain, type Schemas } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { countryName } from '../../ui/countries.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Card, Empty, Loaded } from '../../ui/page.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';
import { DeliveryDialog } from './delivery-dialog.tsx';

type Option = Schemas['ShippingOption'];

/** Shipping options by country, weight and order value, with their prices. */
export function DeliverySettings() {
  const [editing, setEditing] = useState<Option | 'new'>();
  const [removing, setRemoving] = useState<Option>();
  const writable = useCan()('settings:write');
  const query = useQuery({
    queryKey: ['shipping-options'],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/dashboard/shipping-options', { params: { query: { limit: 100 } }, signal })),
  });
  const add = writable && (
    <Button kind="primary" onClick={() => setEditing('new')}>
      {t('Add an option')}
    </Button>
  );
  return (
    <Loaded query={query}>
      {({ shipping_options: options }) => (
        <>
          {options.length === 0 ? (
            <Empty title={t('Nobody can order yet')} action={add}>
              {t(
                'Add the countries that you ship to and the price. Without an option for the shopper’s country the shop cannot sell there.',
              )}
            </Empty>
          ) : (
            <Card title={t('Delivery options')} actions={add}>
              <Options options={options} onEdit={setEditing} onRemove={setRemoving} writable={writable} />
            </Card>
          )}
          {editing && (
            <DeliveryDialog option={editing === 'new' ? undefined : editing} onClose={() => setEditing(undefined)} />
          )}
          <Removal option={removing} onClose={() => setRemoving(undefined)} />
        </>
      )}
    </Loaded>
  );
}

function Options({
  options,
  onEdit,
  onRemove,
  writable,
}: {
  options: Option[];
  onEdit: (option: Option) => void;
  onRemove: (option: Option) => void;
  writable: boolean;
}) {
  const format = useFormat();
  const columns: Column<Option>[] = [
    { id: 'name', header: t('Name'), cell: (option) => option.name },
    { id: 'to', header: t('To'), cell: (option) => destinations(option) },
    { id: 'days', header: t('Days'), wideOnly: true, cell: (option) => days(option) },
    { id: 'price', header: t('Price'), numeric: true, cell: (option) => format.money(option.price, option.currency) },
    { id: 'status', header: t('Status'), cell: (option) => <Badge value={option.active ? 'active' : 'off'} /> },
    {
      id: 'actions',
      header: t('Actions'),
      cell: (option) =>
        writable && (
          <span className="actions">
            <Button kind="quiet" aria-label={t('Edit {name}', { name: option.name })} onClick={() => onEdit(option)}>
              {t('Edit')}
            </Button>
            <Button
              kind="quiet"
              aria-label={t('Delete {name}', { name: option.name })}
              onClick={() => onRemove(option)}
            >
              {t('Delete')}
            </Button>
          </span>
        ),
    },
  ];
  return <DataTable caption={t('Delivery options')} columns={columns} rows={options} />;
}

function destinations({ kind, countries, states, postcode_prefixes }: Option): string {
  if (kind === 'pickup') return t('Pick up');
  const names = countries.slice(0, 3).map(countryName).join(', ');
  const more = countries.length > 3 ? ` ${t('and {count} more', { count: countries.length - 3 })}` : '';
  const parts = states.length + postcode_prefixes.length > 0 ? t(', parts of it') : '';
  return `${names || t('Everywhere')}${more}${parts}`;
}

function days({ estimated_days_min: min, estimated_days_max: max }: Option): string {
  if (min === null && max === null) return '';
  return min === null || max === null || min === max ? String(min ?? max) : `${min}–${max}`;
}

function Removal({ option, onClose }: { option: Option | undefined; onClose: () => void }) {
  const remove = useMutation({
    mutationFn: (shipping_option_id: string) =>
      unwrap(
        api.DELETE('/api/dashboard/shipping-options/{shipping_option_id}', {
          params: { path: { shipping_option_id } },
        }),
      ),
    onSuccess: async () => {
      await readAgain('shipping-options', 'setup');
      toast(t('Deleted.'));
    },
    onError: toastError,
  });
  return (
    <Confirm
      open={option !== undefined}
      onClose={onClose}
      onConfirm={() => option && remove.mutate(option.id, { onSuccess: onClose })}
      title={t('Delete {name}?', { name: option?.name ?? '' })}
      action={t('Delete')}
      busy={remove.isPending}
    >
      {t('Shoppers can no longer choose it. Orders that have it keep it.')}
    </Confirm>
  );
}
