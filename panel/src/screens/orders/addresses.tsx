import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/page.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';
import type { OrderDetails } from './order-queries.ts';
import { addressLines } from './texts.ts';

/** Where it goes and who is billed, each ready to be copied onto a label. */
export function Addresses({ order }: { order: OrderDetails }) {
  const { shipping_address, billing_address, shipping_method, note } = order;
  return (
    <>
      {shipping_address ? (
        <AddressCard title="Deliver to" address={shipping_address} />
      ) : (
        <Card title="Deliver to">
          <p>{shipping_method ? `${shipping_method}, without an address.` : 'No address was given.'}</p>
        </Card>
      )}
      {billing_address && <AddressCard title="Bill to" address={billing_address} />}
      {note && (
        <Card title="The customer's note">
          <p className="written">{note}</p>
        </Card>
      )}
    </>
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
