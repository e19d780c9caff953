import { useEffect, useState } from 'react';
import { TextField } from './field.tsx';

/**
 * A date field that applies a day only when it is complete. While the user types the year, the field contains an early
 * century or an invalid date.
 */
export function DayField({ title, day, onDay }: { title: string; day: string; onDay: (day: string) => void }) {
  const [typed, setTyped] = useState(day);
  // A view or the back button may change the day.
  useEffect(() => setTyped(day), [day]);
  return (
    <TextField
      label={title}
      type="date"
      min="1970-01-01"
      max="2999-12-31"
      value={typed}
      onChange={({ target }) => {
        setTyped(target.value);
        if (target.validity.valid) onDay(target.value);
      }}
    />
  );
}
