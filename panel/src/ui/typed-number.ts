import { type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { NumberTexts } from '../format.ts';

/** Prefix of invalid text. The API rejects it, so the text is never saved as another number. */
const UNREAD = '?';

/** Whether a draft's number is invalid text. */
export function isUnread(value: string): boolean {
  return value.startsWith(UNREAD);
}

/**
 * Converts typed text to the API's form: a canonical number, empty text, or the prefix `?` with the text if it is not a
 * number.
 */
export function typedNumber(text: string, texts: NumberTexts): string {
  if (text.trim() === '') return '';
  return texts.read(text).amount ?? UNREAD + text;
}

/** The number in a form field; see `typedNumber`. */
export function numberIn(form: FormData, name: string, texts: NumberTexts): string {
  return typedNumber(String(form.get(name) ?? ''), texts);
}

function shown(value: string, texts: NumberTexts): string {
  if (isUnread(value)) return value.slice(UNREAD.length);
  return value === '' ? '' : texts.show(value);
}

interface NumberInput {
  text: string;
  type: (text: string) => void;
  problem: string | undefined;
  input: RefObject<HTMLInputElement | null>;
}

/**
 * The text of a number input. It is formatted for the shop, and stays as typed while it means `value`. Without
 * `onValue`, the input is uncontrolled and starts with `value`.
 */
export function useNumberInput(
  value: string,
  texts: NumberTexts,
  onValue: ((value: string) => void) | undefined,
): NumberInput {
  const [typed, setTyped] = useState<string>();
  const isCurrent = typed !== undefined && (onValue === undefined || typedNumber(typed, texts) === value);
  const text = isCurrent ? typed : shown(value, texts);
  const problem = text.trim() === '' ? undefined : texts.read(text).problem;
  const input = useRef<HTMLInputElement>(null);
  // A form with an invalid number cannot be submitted.
  useLayoutEffect(() => input.current?.setCustomValidity(problem ?? ''), [problem]);
  const type = (next: string) => {
    setTyped(next);
    onValue?.(typedNumber(next, texts));
  };
  return { text, type, problem, input };
}
