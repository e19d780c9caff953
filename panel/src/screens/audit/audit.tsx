import { unwrap } from '@commerce-backend/sdk';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api, type Inputs, type Schemas } from '../../api.ts';
import { label, useFormat } from '../../format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Select } from '../../ui/field.tsx';
import { Empty, Loaded, Page } from '../../ui/page.tsx';
import { useSearchState } from '../../ui/search-state.ts';
import { Target } from './target.tsx';

type AuditEvent = Schemas['AuditEvent'];
type ActorType = Inputs['AuditEvent']['actor_type'];

const actors: [ActorType, string][] = [
  ['staff', 'Staff'],
  ['api_key', 'API keys'],
  ['agent', 'Agents'],
  ['customer', 'Customers'],
  ['guest_agent', 'Agents without consent'],
  ['storefront', 'Guests of the storefront'],
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

/** Lists all actions and their actors, newest first. */
export function Audit() {
  const [params, change] = useSearchState();
  const actor_type = actors.find(([type]) => type === params.get('actor_type'))?.[0];
  const action = params.get('action') ?? '';
  const filters = { limit: 50, ...(actor_type && { actor_type }), ...(action && { action }) };
  const query = useInfiniteQuery({
    queryKey: ['audit', filters],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filters, ...(pageParam && { cursor: pageParam }) };
      return unwrap(api.GET('/api/dashboard/audit-events', { params: { query }, signal }));
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
  return (
    <Page title="Audit">
      <search className="filters">
        <Select label="Who" value={actor_type ?? ''} onChange={(event) => change({ actor_type: event.target.value })}>
          <option value="">Everybody</option>
          {actors.map(([type, words]) => (
            <option key={type} value={type}>
              {words}
            </option>
          ))}
        </Select>
        <Select label="What" value={action} onChange={(event) => change({ action: event.target.value })}>
          <option value="">Anything</option>
          {(action === '' || ACTIONS.includes(action) ? ACTIONS : [action, ...ACTIONS]).map((each) => (
            <option key={each} value={each}>
              {actionInWords(each)}
            </option>
          ))}
        </Select>
      </search>
      <Loaded query={query}>{({ pages }) => <Rows events={pages.flatMap((page) => page.audit_events)} />}</Loaded>
      {query.hasNextPage && (
        <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show older ones
        </Button>
      )}
    </Page>
  );
}

function Rows({ events }: { events: AuditEvent[] }) {
  const format = useFormat();
  if (events.length === 0) {
    return (
      <Empty title="No entries">
        This log lists each call of an agent, and each change by staff, keys, customers and guests.
      </Empty>
    );
  }
  const columns: Column<AuditEvent>[] = [
    { id: 'time', header: 'At', short: true, cell: (row) => format.time(row.created_at) },
    { id: 'who', header: 'Who', cell: (row) => <Actor event={row} /> },
    { id: 'what', header: 'What', cell: (row) => row.summary ?? actionInWords(row.action) },
    { id: 'target', header: 'On', cell: (row) => <Target event={row} /> },
    { id: 'fields', header: 'Fields', long: true, cell: (row) => row.fields.map(fieldInWords).join(', ') || '—' },
    { id: 'status', header: 'Outcome', cell: (row) => <Outcome status={row.status} /> },
    {
      id: 'ip',
      header: 'From',
      wideOnly: true,
      cell: (row) => <span className="nowrap">{row.buyer_ip ?? row.ip ?? '—'}</span>,
    },
  ];
  return (
    <div className="table-box">
      <DataTable caption="Audit events" columns={columns} rows={events} />
    </div>
  );
}

function Actor({ event }: { event: AuditEvent }) {
  return (
    <span>
      {event.actor_name ?? 'Guest'}{' '}
      <span className="quiet-text">({KINDS[event.actor_type] ?? label(event.actor_type)})</span>
    </span>
  );
}

/** Labels for actor types that `label` would not name well. */
const KINDS: Record<string, string> = { api_key: 'API key', guest_agent: 'Agent without consent' };

/** Shows whether the call succeeded, and for rejected calls the HTTP status, for support. */
function Outcome({ status }: { status: number }) {
  if (status < 400) return <Badge value="succeeded">Done</Badge>;
  return <Badge value="failed">{`${status < 500 ? 'Refused' : 'Failed'} (${status})`}</Badge>;
}

/** Converts a field path to words: `brand.accent_color` to "brand accent color". */
function fieldInWords(field: string): string {
  return field.replaceAll(/[_.]/g, ' ');
}

/** Converts an operation id to words: `dashboard.updateProduct` to "Update product". */
export function actionInWords(action: string): string {
  const name = action.slice(action.lastIndexOf('.') + 1);
  const words = name.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
