import { t } from '../../language/texts.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';
import type { OrderDetails } from './order-queries.ts';
import { addressLines } from './texts.ts';

/**
 * The delivery address or pickup location, the billing address, and the customer's note. The addresses are formatted
 * for copying onto a label.
 */
export function Addresses({ order }: { order: OrderDetails }) {
  const { billing_address, note } = order;
  return (
    <>
      <Destination order={order} />
      {billing_address && <AddressCard title={t('Bill to')} address={billing_address} />}
      {note && (
        <Card title={t("The customer's note")}>
          <p className="written">{note}</p>
        </Card>
      )}
    </>
  );
}

function Destination({ order: { shipping_address, shipping_method, shipping_kind } }: { order: OrderDetails }) {
  if (shipping_kind === 'pickup') {
    return (
      <>
        <Card title={t('Pick-up')}>
          <p>{t('The customer fetches it: {shipping_method}.', { shipping_method })}</p>
        </Card>
        {shipping_address && <AddressCard title={t('Customer’s address')} address={shipping_address} />}
      </>
    );
  }
  if (shipping_address) return <AddressCard title={t('Deliver to')} address={shipping_address} />;
  return (
    <Card title={t('Delivery')}>
      <p>
        {shipping_method
          ? t('{shipping_method}, without an address.', { shipping_method })
          : t('No shipping required.')}
      </p>
    </Card>
  );
}

function AddressCard({ title, address }: { title: string; address: NonNullable<OrderDetails['shipping_address']> }) {
  const lines = addressLines(address);
  const copy = () =>
    navigator.clipboard
      .writeText(lines.join('\n'))
      .then(() => toast(t('The address is on the clipboard.')), toastError);
  return (
    <Card
      title={title}
      actions={
        <Button kind="quiet" aria-label={t('Copy the address of "{title}"', { title })} onClick={() => void copy()}>
          {t('Copy')}
        </Button>
      }
    >
      <address>
        {lines.map((line, i) => (
          <div key={i}>{line}</div>
        ))}
        {address.phone && <div>{address.phone}</div>}
      </address>
    </Card>
  );
}
