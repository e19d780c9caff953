import { useQuery } from '@tanstack/react-query';
import { useFormat } from '../../format.ts';
import { useMe } from '../../session/use-me.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, Loaded, Page } from '../../ui/page.tsx';
import { useSearchState } from '../../ui/search-state.ts';
import { fetchOrder, type OrderDetails } from './order-queries.ts';
import { addressLines, lineName, nameOf } from './texts.ts';
import './slips.css';
import { t } from '../../language/texts.ts';

const MOST = 100;
/** Number of orders that are fetched at the same time. */
const ABREAST = 6;

/** Carriers in all countries can read the names of countries in this language. */
const CARRIERS = 'en';

/** Printable packing slips, one page per order. */
export function Slips() {
  const [params] = useSearchState();
  const chosen = (params.get('ids') ?? '').split(',').filter(Boolean);
  const ids = chosen.slice(0, MOST);
  const orders = useQuery({
    queryKey: ['orders', 'slips', ids],
    queryFn: ({ signal }) => fetchAll(ids, signal),
  });
  return (
    <Page
      title={t('Packing slips')}
      back={{ to: '/orders', label: t('Orders') }}
      actions={
        ids.length > 0 && (
          <Button kind="primary" onClick={() => window.print()}>
            {t('Print')}
          </Button>
        )
      }
    >
      {chosen.length > MOST && (
        <p className="note">
          {t('{count} orders are chosen. These are the slips of the first {MOST}.', { count: chosen.length, MOST })}
        </p>
      )}
      {ids.length === 0 && (
        <Empty title={t('No orders selected')}>{t('Select orders in the list, then choose “Packing slips”.')}</Empty>
      )}
      <Loaded query={orders}>
        {(found) => (
          <div className="slips">
            {found.map((order) => (
              <Slip key={order.id} order={order} />
            ))}
          </div>
        )}
      </Loaded>
    </Page>
  );
}

async function fetchAll(ids: string[], signal: AbortSignal): Promise<OrderDetails[]> {
  const orders: OrderDetails[] = [];
  for (let at = 0; at < ids.length; at += ABREAST) {
    orders.push(...(await Promise.all(ids.slice(at, at + ABREAST).map((id) => fetchOrder(id, signal)))));
  }
  return orders;
}

function Slip({ order }: { order: OrderDetails }) {
  const { merchant } = useMe();
  const { date } = useFormat();
  const { shipping_address, shipping_method, shipping_kind, note } = order;
  const packed = packedLines(order);
  return (
    <article className="slip" aria-label={t('Order {order_number}', { order_number: order.order_number })}>
      <header>
        <strong>{merchant.name}</strong>
        <span>
          {t('Order {order_number}, {created_at}', {
            order_number: order.order_number,
            created_at: date(order.created_at),
          })}
        </span>
      </header>
      <address>
        {shipping_address ? (
          addressLines(shipping_address, CARRIERS).map((line, i) => <div key={i}>{line}</div>)
        ) : (
          <div>{nameOf(order)}</div>
        )}
      </address>
      {shipping_method && (
        <p>
          {shipping_kind === 'pickup' ? t('Pick-up') : t('Delivery')}: {shipping_method}
        </p>
      )}
      <table>
        <thead>
          <tr>
            <th scope="col">{t('Pieces')}</th>
            <th scope="col">{t('Article')}</th>
            <th scope="col">{t('SKU')}</th>
          </tr>
        </thead>
        <tbody>
          {packed.map(({ line, pieces }) => (
            <tr key={line.id}>
              <td>{pieces}</td>
              <td>{lineName(line)}</td>
              <td>{line.sku}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {packed.length === 0 && <p>{t('Nothing to ship.')}</p>}
      {note && <p className="written">{note}</p>}
    </article>
  );
}

/** Order lines with the units to ship, or with the shipped units if nothing is left to ship. */
function packedLines({ line_items, line_states }: OrderDetails) {
  const isOpen = line_states.some(({ to_fulfill }) => to_fulfill > 0);
  return line_states.flatMap(({ line_item_id, to_fulfill, fulfilled }) => {
    const pieces = isOpen ? to_fulfill : fulfilled;
    const line = line_items.find(({ id }) => id === line_item_id);
    return line && pieces > 0 ? [{ line, pieces }] : [];
  });
}
