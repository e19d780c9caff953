import { type ReactNode, useCallback } from 'react';
import { label, useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { DayField } from '../../ui/day-field.tsx';
import { dayOf, startOfDay } from '../../ui/days.ts';
import { Select } from '../../ui/field.tsx';
import { type FilterChip, FilterChips } from '../../ui/filter-chips.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { useSearchState } from '../../ui/search-state.ts';
import { deliveryName, methodName } from './texts.ts';

const CHOICES = [
  {
    name: 'payment_status',
    title: t('Payment'),
    values: [
      ...['awaiting_payment', 'pending', 'authorized', 'paid', 'partially_refunded', 'refunded', 'failed', 'expired'],
      'voided',
    ],
  },
  {
    name: 'fulfillment_status',
    title: t('Delivery'),
    values: ['unfulfilled', 'partially_fulfilled', 'fulfilled', 'delivered', 'returned'],
  },
  { name: 'payment_method', title: t('Method'), values: ['bank_transfer', 'card', 'online', 'manual', 'free'] },
  { name: 'source', title: t('Source'), values: ['storefront', 'agent', 'ai_widget', 'dashboard', 'import'] },
];

/** Days in the shop's time zone. The last day is included, so the API gets the start of the following day. */
const DAYS = [
  { name: 'created_from', title: t('Placed from'), later: 0 },
  { name: 'created_to', title: t('Placed until'), later: 1 },
];

const SORTS = {
  newest: t('Newest first'),
  oldest: t('Oldest first'),
  recently_updated: t('Recently changed'),
  total_desc: t('Largest first'),
  total_asc: t('Smallest first'),
};

/** Search, filters and sorting of the order list, stored in the URL. */
export function Filters() {
  const [params, change] = useSearchState();
  const { timeZone } = useFormat();
  const find = useCallback((q: string) => change({ q }), [change]);
  return (
    <div className="order-filters">
      <search>
        <SearchField
          label={t('Search orders')}
          placeholder={t('Number, name, e-mail, SKU, tracking')}
          maxLength={200}
          value={params.get('q') ?? ''}
          onSearch={find}
        />
      </search>
      <FilterChips
        chips={chipsOf(params, timeZone)}
        onRemove={(names) => change(Object.fromEntries(names.map((name) => [name, undefined])))}
      />
      {/* The sorting has no chip, so this part is open if a sorting is chosen. */}
      <details open={params.has('sort') || undefined}>
        <summary>{t('Filter and sort')}</summary>
        <div className="filters">
          {CHOICES.map(({ name, title, values }) => (
            <Choice
              key={name}
              title={title}
              value={params.get(name) ?? ''}
              onChange={(value) => change({ [name]: value })}
            >
              <option value="">{t('Any')}</option>
              {values.map((value) => (
                <option key={value} value={value}>
                  {wordsFor(name, value)}
                </option>
              ))}
            </Choice>
          ))}
          {DAYS.map(({ name, title, later }) => (
            <DayField
              key={name}
              title={title}
              day={dayOf(params.get(name), timeZone, later)}
              onDay={(day) => change({ [name]: day && startOfDay(day, timeZone, later) })}
            />
          ))}
          <Choice title={t('Sort')} value={params.get('sort') ?? 'newest'} onChange={(sort) => change({ sort })}>
            {Object.entries(SORTS).map(([value, title]) => (
              <option key={value} value={value}>
                {title}
              </option>
            ))}
          </Choice>
        </div>
      </details>
    </div>
  );
}

function wordsFor(name: string, value: string): string {
  if (name === 'fulfillment_status') return deliveryName(value);
  return name === 'payment_method' ? methodName(value) : label(value);
}

/** The filters that are set, except those of a view such as "To ship", which has a tab. */
function chipsOf(params: URLSearchParams, timeZone: string): FilterChip[] {
  const choices = CHOICES.map(({ name, title }) => [name, title, wordsFor(name, params.get(name) ?? '')] as const);
  const days = DAYS.map(({ name, title, later }) => [name, title, dayOf(params.get(name), timeZone, later)] as const);
  return [...choices, ...days]
    .filter(([name]) => params.has(name))
    .map(([name, title, value]) => ({ name, text: `${title}: ${value}` }));
}

function Choice({
  title,
  value,
  onChange,
  children,
}: {
  title: string;
  value: string;
  onChange: (value: string) => void;
  children: ReactNode;
}) {
  return (
    <Select label={title} value={value} onChange={(event) => onChange(event.target.value)}>
      {children}
    </Select>
  );
}
