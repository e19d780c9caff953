import { useState } from 'react';
import { TextArea, TextField } from '../field.tsx';

interface ListFieldProps {
  label: string;
  hint?: string;
  value: readonly string[];
  onChange: (items: string[]) => void;
  error?: string | undefined;
}

/** A field for a list with one text per line. */
export function LinesField({ value, onChange, ...field }: ListFieldProps) {
  return <TextArea {...field} {...useListText(value, '\n', onChange)} />;
}

/** A field for a list of words separated by commas. */
export function WordsField({ value, onChange, ...field }: ListFieldProps) {
  return <TextField {...field} {...useListText(value, ',', onChange)} required />;
}

/** Keeps the typed text, including a trailing comma, while it means the same list. */
function useListText(items: readonly string[], separator: string, onChange: (items: string[]) => void) {
  const joint = separator === ',' ? ', ' : separator;
  const [text, setText] = useState(items.join(joint));
  const value = itemsOf(text, separator).join() === items.join() ? text : items.join(joint);
  return {
    value,
    onChange: ({ target }: { target: { value: string } }) => {
      setText(target.value);
      onChange(itemsOf(target.value, separator));
    },
  };
}

function itemsOf(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((item) => item.trim())
    .filter(Boolean);
}
