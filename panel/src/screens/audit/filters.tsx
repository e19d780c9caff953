import { unwrap } from '@commerce-backend/sdk';
import { useQuery } from '@tanstack/react-query';
import { api, type Inputs } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { useCan } from '../../session/use-me.ts';
import { DayField } from '../../ui/day-field.tsx';
import { dayOf, startOfDay } from '../../ui/days.ts';
import { Checkbox, Select } from '../../ui/field.tsx';
import { useSearchState } from '../../ui/search-state.ts';
import { showsAll } from './audit-query.ts';
import { actionInWords } from './words.ts';

const TYPES: [Inputs['AuditEvent']['actor_type'], string][] = [
  ['staff', t('Staff')],
  ['api_key', t('API keys')],
  ['agent', t('Agents')],
  ['customer', t('Customers')],
  ['guest_agent', t('Agents without consent')],
  ['storefront', t('Guests of the storefront')],
];

/** Actions in the filter. Other actions can be filtered by a URL such as `?action=agent.createCheckout`. */
const ACTIONS = [
  ...['updateProduct', 'replaceProduct', 'createProduct', 'deleteProduct', 'importProducts', 'updateVariant'],
  ...['bulkUpdateProducts', 'updateVariants'],
  'adjustInventory',
  ...['adjustInventories', 'updateCollection', 'createDiscount', 'updateDiscount', 'markOrderPaid', 'markOrdersPaid'],
  ...['createFulfillment', 'fulfillOrders', 'cancelOrder', 'createRefund', 'updateOrder'],
  ...['updateFulfillment', 'updateCustomer'],
  ...['updateSettings', 'updateShippingOption', 'updatePaymentAccount', 'createStaffInvitation', 'updateStaffMember'],
  ...['createApiKey', 'rotateApiKey', 'createSyncKey', 'createWebhook', 'changePassword'],
].map((name) => `dashboard.${name}`);

/** Days in the shop's time zone. The last day is included, so the API gets the start of the following day. */
const DAYS = [
  { name: 'created_from', title: t('From'), later: 0 },
  { name: 'created_to', title: t('Until'), later: 1 },
];

/** The filters of the list, stored in the URL. */
export function AuditFilters() {
  const [params, change] = useSearchState();
  const { timeZone } = useFormat();
  const people = usePeople();
  const action = params.get('action') ?? '';
  const assistant = params.get('assistant');
  const id = params.get('actor_id');
  const who = assistant ? `assistant:${assistant}` : id ? `id:${id}` : (params.get('actor_type') ?? '');
  const choose = (value: string) => {
    const [kind, ...rest] = value.split(':');
    const named = rest.join(':');
    change({
      actor_id: kind === 'id' ? named : '',
      assistant: kind === 'assistant' ? named : '',
      actor_type: named ? '' : value,
    });
  };
  const isListed = TYPES.some(([type]) => type === who) || people.some(({ value }) => value === who);
  return (
    <search className="filters">
      <Select label={t('Who')} value={who} onChange={(event) => choose(event.target.value)}>
        <option value="">{t('Everybody')}</option>
        {TYPES.map(([type, words]) => (
          <option key={type} value={type}>
            {t(words)}
          </option>
        ))}
        {people.map(({ value, name }) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
        {who !== '' && !isListed && <option value={who}>{assistant ?? id ?? who}</option>}
      </Select>
      <Select label={t('What')} value={action} onChange={(event) => change({ action: event.target.value })}>
        <option value="">{t('Anything')}</option>
        {(action === '' || ACTIONS.includes(action) ? ACTIONS : [action, ...ACTIONS]).map((each) => (
          <option key={each} value={each}>
            {actionInWords(each)}
          </option>
        ))}
      </Select>
      {DAYS.map(({ name, title, later }) => (
        <DayField
          key={name}
          title={t(title)}
          day={dayOf(params.get(name), timeZone, later)}
          onDay={(day) => change({ [name]: day && startOfDay(day, timeZone, later) })}
        />
      ))}
      <Checkbox
        label={t('Also shoppers, agents and logins')}
        checked={showsAll(params)}
        onChange={({ target }) => change({ all: target.checked ? '1' : '' })}
      />
    </search>
  );
}

/** The filter's options: the members, and the assistants that the user may see. */
function usePeople(): { value: string; name: string }[] {
  const can = useCan();
  const staff = useQuery({
    queryKey: ['staff'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/staff', { signal })),
    enabled: can('settings:read'),
  });
  const assistants = useQuery({
    queryKey: ['assistants'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/assistants', { signal })),
  });
  const names = new Set(assistants.data?.assistants.map(({ client_name }) => client_name));
  return [
    ...(staff.data?.staff ?? []).map(({ id, name }) => ({ value: `id:${id}`, name })),
    ...[...names].map((name) => ({ value: `assistant:${name}`, name: t('Assistant {name}', { name }) })),
  ];
}
