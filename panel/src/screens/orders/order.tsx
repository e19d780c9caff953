import { useState } from 'react';
import { Link } from 'wouter';
import { useFormat } from '../../format.ts';
import { useCan } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Loaded, Page } from '../../ui/page.tsx';
import { Actions } from './actions/actions.tsx';
import { ContactDialog } from './actions/contact-dialog.tsx';
import { Addresses } from './addresses.tsx';
import { Disputes, isDisputed } from './disputes.tsx';
import { DocumentsCard } from './documents-card.tsx';
import { Items } from './items.tsx';
import { Notes } from './notes.tsx';
import { type OrderDetails, useOrder } from './order-queries.ts';
import './orders.css';
import { rich } from '../../language/rich.tsx';
import { t } from '../../language/texts.ts';
import { PaymentCard } from './payment-card.tsx';
import { Refunds } from './refunds.tsx';
import { ReturnsCard } from './returns-card.tsx';
import { Shipments } from './shipments.tsx';
import { deliveryName, hasExpired, isDueAfterPayment } from './texts.ts';
import { Timeline } from './timeline.tsx';
import { WithdrawalsCard } from './withdrawals-card.tsx';

const BACK = { to: '/orders', label: t('Orders') };

/** An order with its items, customer, state and actions. */
export function OrderScreen({ params }: { params: Record<string, string> }) {
  const order = useOrder(params.order_id ?? '');
  if (!order.data) {
    return (
      <Page title={t('Order')} back={BACK}>
        <Loaded query={order}>{() => null}</Loaded>
      </Page>
    );
  }
  return <Shown key={order.data.id} order={order.data} />;
}

function Shown({ order }: { order: OrderDetails }) {
  const { money } = useFormat();
  return (
    <Page
      title={t('Order {order_number}', { order_number: order.order_number })}
      back={BACK}
      status={
        <>
          {order.status === 'cancelled' && <Badge value="cancelled" />}
          <Badge value={order.payment_status} />
          {isDueAfterPayment(order) && (
            <Badge value="open">{t('{amount_due} due', { amount_due: money(order.amount_due, order.currency) })}</Badge>
          )}
          {order.status !== 'cancelled' && (
            <Badge value={order.fulfillment_status}>{deliveryName(order.fulfillment_status)}</Badge>
          )}
        </>
      }
      actions={<Actions order={order} />}
    >
      {isDisputed(order) && (
        <p className="note">
          {t(
            'The customer disputes the payment at the bank. Shipping is on hold, and the disputed amount cannot be refunded. Send your evidence in the payment provider’s dashboard.',
          )}
        </p>
      )}
      {Number(order.refund_due) > 0 && (
        <p className="note">{dueNote(order, money(order.refund_due, order.currency))}</p>
      )}
      <div className="columns">
        <div className="stack">
          <Items order={order} />
          <Shipments order={order} />
          <Refunds order={order} />
          <Disputes order={order} />
          <ReturnsCard order={order} />
          <WithdrawalsCard order={order} />
          <DocumentsCard order={order} />
          <Timeline order_id={order.id} />
        </div>
        <div className="stack">
          <CustomerCard order={order} />
          <Addresses order={order} />
          <PaymentCard order={order} />
          <Notes order={order} />
        </div>
      </div>
    </Page>
  );
}

function dueNote(order: OrderDetails, amount: string): string {
  if (hasExpired(order)) {
    return t(
      'Money arrived after this order had expired. Reinstate the order once the full amount has arrived, or refund the money.',
    );
  }
  if (order.status !== 'cancelled')
    return t('More money was received than the order costs. Refund {amount}.', { amount });
  return t(
    'This order was cancelled after it was paid. Refund the customer, or return the money by hand and record it.',
  );
}

function CustomerCard({ order }: { order: OrderDetails }) {
  const can = useCan();
  const [editing, setEditing] = useState(false);
  const { customer_id, email, phone, source, agent_token_id } = order;
  const { first_name, last_name } = order.billing_address ?? order.shipping_address ?? {};
  const name = [first_name, last_name].filter(Boolean).join(' ');
  return (
    <section className="card" aria-label={t('Customer')}>
      <header>
        <h2>{t('Customer')}</h2>
        {customer_id && can('customers:read') && <Link to={`/customers/${customer_id}`}>{t('Open')}</Link>}
        {can('orders:write') && (
          <Button kind="quiet" onClick={() => setEditing(true)}>
            {t('Correct')}
          </Button>
        )}
      </header>
      {name && <strong>{name}</strong>}
      {email && <a href={`mailto:${encodeURIComponent(email)}`}>{email}</a>}
      {phone && <span>{phone}</span>}
      <p className="quiet-text">{customer_id ? t('Has an account.') : t('Bought as a guest.')}</p>
      {source === 'agent' && (
        <p>
          {rich('{badge} Prepared by an AI agent, confirmed by the customer.', {
            badge: <Badge value="agent">{t('By an agent')}</Badge>,
          })}{' '}
          {agent_token_id && can('agents:read') && <Link to={`/agents/${agent_token_id}`}>{t('The agent')}</Link>}
        </p>
      )}
      {editing && <ContactDialog order={order} onClose={() => setEditing(false)} />}
    </section>
  );
}
