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
      {billing_address && <AddressCard title="Bill to" address={billing_address} />}
      {note && (
        <Card title="The customer's note">
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
        <Card title="Pick-up">
          <p>The customer fetches it: {shipping_method}.</p>
        </Card>
        {shipping_address && <AddressCard title="Customer’s address" address={shipping_address} />}
      </>
    );
  }
  if (shipping_address) return <AddressCard title="Deliver to" address={shipping_address} />;
  return (
    <Card title="Delivery">
      <p>{shipping_method ? `${shipping_method}, without an address.` : 'No shipping required.'}</p>
    </Card>
  );
}

function AddressCard({ title, address }: { title: string; address: NonNullable<OrderDetails['shipping_address']> }) {
  const lines = addressLines(address);
  const copy = () =>
    navigator.clipboard.writeText(lines.join('\n')).then(() => toast('The address is on the clipboard.'), toastError);
  return (
    <Card
      title={title}
      actions={
        <Button kind="quiet" aria-label={`Copy the address of "${title}"`} onClick={() => void copy()}>
          Copy
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
