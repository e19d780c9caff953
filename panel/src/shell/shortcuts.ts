import { useEffect, useRef } from 'react';
import { t } from '../language/texts.ts';

interface Overlays {
  palette: () => void;
  help: () => void;
}

/**
 * Stored if the user has turned off the shortcuts that work without Ctrl. WCAG 2.1.4 requires that they can be turned
 * off.
 */
const OFF = 'panel-shortcuts-off';
const SEQUENCE_MS = 1_500;
const FIELDS =
  'input:not([type="checkbox"], [type="radio"], [type="button"], [type="submit"]), textarea, select, [contenteditable="true"], [contenteditable=""]';

export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** The name of a shortcut with Ctrl, or with ⌘ on a Mac. */
export function withCtrl(key: string): string {
  return isMac ? `⌘ ${key}` : t('Ctrl {key}', { key });
}

export function singleKeys(): boolean {
  try {
    return localStorage.getItem(OFF) === null;
  } catch {
    return true;
  }
}

export function setSingleKeys(on: boolean): void {
  try {
    if (on) localStorage.removeItem(OFF);
    else localStorage.setItem(OFF, '1');
  } catch {
    // If the browser allows no storage, the shortcuts stay on.
  }
}

/** Handles the panel's keyboard shortcuts. Editors that use a key themselves call `preventDefault` before. */
export function useShortcuts(overlays: Overlays): void {
  const latest = useRef(overlays);
  latest.current = overlays;
  useEffect(() => {
    let sequence = 0;
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.repeat || event.altKey) return;
      if (event.ctrlKey || event.metaKey) return handleCtrl(event, latest.current);
      if (openDialog() || !singleKeys() || (event.target as Element).closest?.(FIELDS)) return;
      const began = sequence;
      sequence = event.key === 'g' ? event.timeStamp : 0;
      const isSequence = began > 0 && event.timeStamp - began < SEQUENCE_MS;
      const handled = (isSequence && goTo(event.key)) || handleKey(event.key, latest.current);
      if (handled) event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

function handleCtrl(event: KeyboardEvent, { palette }: Overlays): void {
  const key = event.key.toLowerCase();
  if (event.shiftKey || !['k', 's', 'enter'].includes(key)) return;
  event.preventDefault();
  if (key === 'k' && !openDialog()) palette();
  if (key === 's') press(saveButton());
  if (key === 'enter') press(openDialog() ? confirmButton() : submitButton());
}

function handleKey(key: string, { palette, help }: Overlays): boolean {
  if (key === '?') help();
  else if (key === '/') focusSearch() || palette();
  else return false;
  return true;
}

/** Follows the menu's link, so that unsaved input is asked about and hidden sections stay hidden. */
function goTo(key: string): boolean {
  const link = document.querySelector<HTMLElement>(`#menu a[data-key="${CSS.escape(key.toLowerCase())}"]`);
  link?.click();
  return link !== null;
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('#main input[type="search"]');
  field?.focus();
  field?.select();
  return field !== null;
}

function openDialog(): Element | undefined {
  return [...document.querySelectorAll('.dialog[data-open]')].at(-1);
}

function saveButton(): Element | null | undefined {
  const bar = '.save-bar .button.primary';
  return openDialog() ? confirmButton() : (document.querySelector(bar) ?? submitButton());
}

/** The submit button of the form that contains the focus, otherwise the only submit button on the screen. */
function submitButton(): Element | null | undefined {
  const submit = '.button.primary[type="submit"]';
  const form = document.activeElement?.closest('form');
  if (form) return form.querySelector(submit);
  const buttons = document.querySelectorAll(`#main form ${submit}`);
  return buttons.length === 1 ? buttons[0] : undefined;
}

function confirmButton(): Element | undefined {
  return [...(openDialog()?.querySelectorAll('footer .button:is(.primary, .danger)') ?? [])].at(-1);
}

/**
 * Presses a button as a click does. First removes the focus from the current field, because some fields apply their
 * value on blur.
 */
function press(button: Element | null | undefined): void {
  if (!(button instanceof HTMLElement)) return;
  const focused = document.activeElement;
  if (focused instanceof HTMLElement && focused !== document.body) {
    focused.blur();
    focused.focus({ preventScroll: true });
  }
  setTimeout(() => button.click());
}
