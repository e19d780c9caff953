import { percentOf, readRate } from '../../../../cli/src/formats/typed-text.ts';
import { useFormat } from '../../format.ts';
import { NumberField } from '../number-field.tsx';

/** A field for a share such as "0.19", which it shows and reads as 19 percent. */
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

/** Adds the percent sign if the number could be read as a fraction. */
function shown(percent: string): string {
  return readRate(percent).problem === undefined ? percent : `${percent} %`;
}
