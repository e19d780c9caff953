import { useState } from 'react';
import { TextField } from '../../ui/field.tsx';

/** A share such as "0.19", entered as 19 percent. Exact: digits are moved, nothing is multiplied. */
export function PercentField({
  label,
  rate,
  onRate,
  error,
}: {
  label: string;
  rate: string;
  onRate: (rate: string) => void;
  error?: string | undefined;
}) {
  // What is typed may be on its way to a number, such as "7.".
  const [text, setText] = useState(asPercent(rate));
  const shown = asRate(text) === rate ? text : asPercent(rate);
  return (
    <TextField
      label={label}
      inputMode="decimal"
      value={shown}
      onChange={(event) => {
        setText(event.target.value);
        onRate(asRate(event.target.value));
      }}
      error={error}
      required
    />
  );
}

/** "0.19" is "19", "0.055" is "5.5". */
function asPercent(rate: string): string {
  if (!/^\d+(\.\d+)?$/.test(rate)) return rate;
  const [whole = '0', part = ''] = rate.split('.');
  const digits = part.padEnd(2, '0');
  const percent = `${whole}${digits.slice(0, 2)}`.replace(/^0+(?=\d)/, '');
  const rest = digits.slice(2).replace(/0+$/, '');
  return rest === '' ? percent : `${percent}.${rest}`;
}

/** The way back; text that is no percentage is passed on for the server to refuse. */
function asRate(text: string): string {
  const match = /^(\d{1,3})(?:[.,](\d{0,2}))?$/.exec(text.trim());
  if (!match) return text;
  const whole = (match[1] ?? '').padStart(3, '0');
  const rate = `${Number(whole.slice(0, -2))}.${whole.slice(-2)}${match[2] ?? ''}`;
  return rate.replace(/0+$/, '').replace(/\.$/, '');
}
