import { useCan } from '../../session/use-me.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { AmountField } from '../../ui/number-field.tsx';
import { Card } from '../../ui/page.tsx';
import { VariantSearch } from '../orders/actions/variant-search.tsx';

export interface NewLine {
  key: string;
  /** Undefined for a custom line. */
  variant_id: string | undefined;
  name: string;
  quantity: string;
  /** Empty if the variant's own price applies. */
  price: string;
  /** The tax class of a custom line. */
  tax_class: string;
  requires_shipping: boolean;
}

const CUSTOM = { variant_id: undefined, name: '', price: '', tax_class: 'standard', requires_shipping: true };

/** The lines of a new draft order: variants, and custom lines with a name and a price. */
export function NewLines({ lines, onLines }: { lines: NewLine[]; onLines: (lines: NewLine[]) => void }) {
  const can = useCan();
  const add = (line: Omit<NewLine, 'key' | 'quantity'>) =>
    onLines([...lines, { ...line, key: crypto.randomUUID(), quantity: '1' }]);
  const change = (at: number, changed: Partial<NewLine>) =>
    onLines(lines.map((line, i) => (i === at ? { ...line, ...changed } : line)));
  return (
    <Card title="Items">
      <VariantSearch
        onChoose={(found) => {
          if (lines.some(({ variant_id }) => variant_id === found.variant_id)) return;
          add({ ...CUSTOM, ...found });
        }}
      />
      {can('orders:payments') && (
        <div>
          <Button kind="quiet" onClick={() => add(CUSTOM)}>
            Add a custom line
          </Button>
        </div>
      )}
      {lines.map((line, at) => (
        <div className="fields-2" key={line.key}>
          {line.variant_id === undefined && <Custom line={line} onChange={(changed) => change(at, changed)} />}
          <TextField
            label={line.variant_id === undefined ? 'Quantity' : `Quantity of ${line.name}`}
            inputMode="numeric"
            value={line.quantity}
            onChange={({ target }) => change(at, { quantity: target.value })}
            required
          />
          {line.variant_id !== undefined && can('orders:payments') && (
            <AmountField
              label="Price of its own"
              hint="Empty for the normal price."
              value={line.price}
              onValue={(price) => change(at, { price })}
            />
          )}
          <div>
            <Button
              kind="quiet"
              aria-label={`Remove ${line.name || 'the custom line'}`}
              onClick={() => onLines(lines.filter((_, i) => i !== at))}
            >
              Remove
            </Button>
          </div>
        </div>
      ))}
    </Card>
  );
}

function Custom({ line, onChange }: { line: NewLine; onChange: (changed: Partial<NewLine>) => void }) {
  return (
    <>
      <TextField
        label="Name"
        value={line.name}
        maxLength={255}
        onChange={({ target }) => onChange({ name: target.value })}
        required
      />
      <AmountField label="Price" value={line.price} onValue={(price) => onChange({ price })} required />
      <TextField
        label="Tax class"
        value={line.tax_class}
        maxLength={32}
        hint="standard, reduced, zero or a class of your own"
        onChange={({ target }) => onChange({ tax_class: target.value })}
        required
      />
      <Checkbox
        label="Is shipped or picked up"
        checked={line.requires_shipping}
        onChange={({ target }) => onChange({ requires_shipping: target.checked })}
      />
    </>
  );
}
