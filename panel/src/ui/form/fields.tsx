/**
 * Form fields. Each is bound to a field of the resource by its path, such as `brand.name` or `variants.0.price`, and
 * shows the server's error for it. Empty text becomes null, unless the field is required or `empty` is set.
 */

import type { ComponentProps, ReactNode } from 'react';
import { type FieldValues, type Path, useController } from 'react-hook-form';
import { type NumberTexts, useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { CellInput } from '../cell-input.tsx';
import { Chips } from '../chips.tsx';
import { CountriesField } from '../countries.tsx';
import { Checkbox, Select, TextArea, TextField } from '../field.tsx';
import { NumberCell, NumberField } from '../number-field.tsx';
import { isUnread } from '../typed-number.ts';
import { LinesField, WordsField } from './list-field.tsx';
import { PercentField } from './percent-field.tsx';

export interface Fields<Values extends FieldValues> {
  Text: (props: At<Values, typeof TextField> & Empty) => ReactNode;
  Area: (props: At<Values, typeof TextArea> & Empty) => ReactNode;
  Choice: (props: At<Values, typeof Select>) => ReactNode;
  Tick: (props: At<Values, typeof Checkbox>) => ReactNode;
  /** A decimal number in the shop's format: an amount of money, unless `texts` is set. */
  Amount: (props: At<Values, typeof TextField> & { texts?: NumberTexts }) => ReactNode;
  Percent: (props: At<Values, typeof PercentField>) => ReactNode;
  Whole: (props: At<Values, typeof TextField>) => ReactNode;
  /** Date and time in the device's time zone. */
  Moment: (props: At<Values, typeof TextField>) => ReactNode;
  Tags: (props: At<Values, typeof Chips>) => ReactNode;
  Lines: (props: At<Values, typeof LinesField>) => ReactNode;
  Words: (props: At<Values, typeof WordsField>) => ReactNode;
  Countries: (props: At<Values, typeof CountriesField>) => ReactNode;
  /** A table cell for an amount or another value. */
  Cell: (props: At<Values, typeof CellInput> & { kind: CellKind }) => ReactNode;
  CellChoice: (props: CellChoiceProps & { name: Path<Values> }) => ReactNode;
}

export type CellKind = 'text' | 'whole' | 'amounts' | 'decimals';

/** Props that the component sets. */
type Bound =
  | 'name'
  | 'value'
  | 'values'
  | 'onChange'
  | 'error'
  | 'ref'
  | 'rate'
  | 'onRate'
  | 'checked'
  | 'defaultValue';
type At<Values extends FieldValues, Input extends (props: never) => unknown> = Omit<Parameters<Input>[0], Bound> & {
  name: Path<Values>;
};
type Empty = { empty?: '' | null };
type Named<Props> = Omit<Props, Bound> & { name: string };

export function fieldsOf<Values extends FieldValues>(): Fields<Values> {
  return { Text, Area, Choice, Tick, Amount, Percent, Whole, Moment, Tags, Lines, Words, Countries, Cell, CellChoice };
}

function useBound(name: string, validate?: (value: unknown) => string | true) {
  const { field, fieldState } = useController({ name, ...(validate && { rules: { validate } }) });
  return { field, bound: { name, ref: field.ref, onBlur: field.onBlur }, error: fieldState.error?.message };
}

function Text({ name, empty = null, ...props }: Named<ComponentProps<typeof TextField>> & Empty) {
  const { field, bound, error } = useBound(name);
  const none = props.required ? '' : empty;
  const change = { onChange: ({ target }: { target: { value: string } }) => field.onChange(target.value || none) };
  return <TextField {...props} {...bound} {...change} value={field.value ?? ''} error={error} />;
}

function Area({ name, empty = null, ...props }: Named<ComponentProps<typeof TextArea>> & Empty) {
  const { field, bound, error } = useBound(name);
  const none = props.required ? '' : empty;
  const change = { onChange: ({ target }: { target: { value: string } }) => field.onChange(target.value || none) };
  return <TextArea {...props} {...bound} {...change} value={field.value ?? ''} error={error} />;
}

function Choice({ name, ...props }: Named<ComponentProps<typeof Select>>) {
  const { field, bound, error } = useBound(name);
  return <Select {...props} {...bound} value={field.value ?? ''} error={error} onChange={field.onChange} />;
}

function Tick({ name, ...props }: Named<ComponentProps<typeof Checkbox>>) {
  const { field, bound } = useBound(name);
  return <Checkbox {...props} {...bound} checked={field.value ?? false} onChange={field.onChange} />;
}

function Amount({ name, texts, ...props }: Named<ComponentProps<typeof TextField>> & { texts?: NumberTexts }) {
  const { amounts } = useFormat();
  const { field, bound, error } = useBound(name, isRead);
  return (
    <NumberField
      {...props}
      {...bound}
      texts={texts ?? amounts}
      value={field.value ?? ''}
      error={error}
      onValue={(value) => field.onChange(value || (props.required ? '' : null))}
    />
  );
}

function Percent({ name, ...props }: Named<ComponentProps<typeof PercentField>>) {
  const { field, bound, error } = useBound(name, isRead);
  return <PercentField {...props} {...bound} rate={field.value ?? ''} error={error} onRate={field.onChange} />;
}

function Whole({ name, ...props }: Named<ComponentProps<typeof TextField>>) {
  const { field, bound, error } = useBound(name, isWhole);
  return (
    <TextField
      inputMode="numeric"
      {...props}
      {...bound}
      value={field.value ?? ''}
      error={error}
      onChange={({ target }) => field.onChange(wholeOf(target.value))}
    />
  );
}

/** A date and time field without seconds. An unchanged time keeps its seconds. */
function Moment({ name, ...props }: Named<ComponentProps<typeof TextField>>) {
  const { field, bound, error } = useBound(name);
  return (
    <TextField
      {...props}
      {...bound}
      type="datetime-local"
      value={field.value ? localTime(field.value) : ''}
      error={error}
      onChange={({ target }) => field.onChange(target.value === '' ? null : new Date(target.value).toISOString())}
    />
  );
}

function Tags({ name, ...props }: Named<ComponentProps<typeof Chips>>) {
  const { field, error } = useBound(name);
  return <Chips {...props} name={name} values={field.value ?? []} error={error} onChange={field.onChange} />;
}

function Lines({ name, ...props }: Named<ComponentProps<typeof LinesField>>) {
  const { field, bound, error } = useBound(name);
  return <LinesField {...props} {...bound} value={field.value ?? []} error={error} onChange={field.onChange} />;
}

function Words({ name, ...props }: Named<ComponentProps<typeof WordsField>>) {
  const { field, bound, error } = useBound(name);
  return <WordsField {...props} {...bound} value={field.value ?? []} error={error} onChange={field.onChange} />;
}

function Countries({ name, ...props }: Named<ComponentProps<typeof CountriesField>>) {
  const { field } = useBound(name);
  return <CountriesField {...props} value={field.value ?? []} onChange={field.onChange} />;
}

function Cell({ name, kind, ...props }: Named<ComponentProps<typeof CellInput>> & { kind: CellKind }) {
  const format = useFormat();
  const isDecimal = kind === 'amounts' || kind === 'decimals';
  const { field, bound, error } = useBound(name, isDecimal ? isRead : kind === 'whole' ? isWhole : undefined);
  const cell = { ...props, ...bound, value: field.value ?? '', error };
  if (isDecimal) {
    return <NumberCell {...cell} texts={format[kind]} onValue={(value) => field.onChange(value || null)} />;
  }
  const read = kind === 'whole' ? wholeOf : (text: string) => text || null;
  return <CellInput {...cell} onChange={({ target }) => field.onChange(read(target.value))} />;
}

interface CellChoiceProps {
  label: string;
  children: ReactNode;
}

function CellChoice({ name, label, children }: CellChoiceProps & { name: string }) {
  const { field } = useController({ name });
  return (
    <select {...field} aria-label={label}>
      {children}
    </select>
  );
}

/** Returns an error message if the text is not a number, otherwise true. The number field shows the exact reason. */
function isRead(value: unknown): string | true {
  return typeof value === 'string' && isUnread(value) ? t('Enter a number.') : true;
}

function isWhole(value: unknown): string | true {
  return typeof value === 'string' ? t('Enter a whole number.') : true;
}

/** Parses a whole number. Returns null for empty text, and the text itself if it is invalid. */
export function wholeOf(text: string): number | string | null {
  if (text.trim() === '') return null;
  return /^-?\d{1,10}$/.test(text.trim()) ? Number(text) : text;
}

/** Converts an API time to the format of `<input type="datetime-local">`. */
function localTime(time: string): string {
  const date = new Date(time);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
