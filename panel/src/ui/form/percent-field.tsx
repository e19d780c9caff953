import { percentOf, readRate } from '../../../../cli/src/formats/typed-text.ts';
import { useFormat } from '../../format.ts';
import { NumberField } from '../number-field.tsx';

/** A field for a fraction such as "0.19", shown and typed as 19 percent. */
export function PercentField({
  rate,
  onRate,
  ...field
}: {
  label: string;
  rate: string;
  onRate: (rate: string) => void;
  error?: string | undefined;
}) {
  const { decimals } = useFormat();
  return (
    <NumberField
      {...field}
      value={rate}
      onValue={onRate}
      texts={{ show: (share) => shown(decimals.show(percentOf(share))), read: readRate }}
      required
    />
  );
}

/** Appends a percent sign to a number that could also be a fraction, such as 0.5. */
function shown(percent: string): string {
  return readRate(percent).problem === undefined ? percent : `${percent} %`;
}
