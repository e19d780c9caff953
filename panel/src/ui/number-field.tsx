import type { ComponentProps } from 'react';
import { type NumberTexts, useFormat } from '../format.ts';
import { CellInput } from './cell-input.tsx';
import { TextField } from './field.tsx';
import { useNumberInput } from './typed-number.ts';

interface NumberProps {
  /** A canonical number, or a value that `typedNumber` returned. */
  value: string;
  onValue?: (value: string) => void;
  texts: NumberTexts;
}

type Rest<Props> = Omit<Props, 'value' | 'defaultValue' | 'onChange' | 'inputMode' | 'ref'>;

/** A number input in the shop's format. Ambiguous text is rejected immediately. */
export function NumberField({
  value,
  onValue,
  texts,
  error,
  ...field
}: NumberProps & Rest<ComponentProps<typeof TextField>>) {
  const { text, type, problem, input } = useNumberInput(value, texts, onValue);
  return (
    <TextField
      {...field}
      ref={input}
      inputMode="decimal"
      value={text}
      onChange={(event) => type(event.target.value)}
      error={problem ?? error}
    />
  );
}

export function AmountField(field: Omit<NumberProps, 'texts'> & Rest<ComponentProps<typeof TextField>>) {
  const { amounts } = useFormat();
  return <NumberField {...field} texts={amounts} />;
}

/** A number input in a table cell. */
export function NumberCell({
  value,
  onValue,
  texts,
  error,
  ...cell
}: NumberProps & Rest<ComponentProps<typeof CellInput>>) {
  const { text, type, problem, input } = useNumberInput(value, texts, onValue);
  return (
    <CellInput
      {...cell}
      ref={input}
      inputMode="decimal"
      value={text}
      onChange={(event) => type(event.target.value)}
      error={problem ?? error}
    />
  );
}
