import { type ComponentProps, useEffect, useState } from 'react';
import { TextField } from './field.tsx';

const WAIT_MS = 300;

/** A search field that applies the text when the user pauses, not after each key press. */
export function SearchField({
  value,
  onSearch,
  ...field
}: Omit<ComponentProps<typeof TextField>, 'value' | 'onChange'> & {
  value: string;
  onSearch: (value: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  // Back and forward change the URL and with it the value. A trailing space is kept, because another word may follow.
  useEffect(() => setTyped((now) => (now.trim() === value ? now : value)), [value]);
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => onSearch(typed.trim()), WAIT_MS);
    return () => clearTimeout(timer);
  }, [typed, value, onSearch]);
  return <TextField type="search" {...field} value={typed} onChange={(event) => setTyped(event.target.value)} />;
}
