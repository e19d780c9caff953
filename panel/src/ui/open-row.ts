import type { MouseEvent } from 'react';

const CONTROLS = 'a, button, input, label, select, textarea, summary';

/**
 * Follows the link in a row's first column after a click anywhere else in the row, with the keys of the click, so that
 * Ctrl opens a tab. The link stays the element for keyboards and screen readers.
 */
export function openRow(event: MouseEvent<HTMLTableRowElement>): void {
  const { currentTarget: row, button, ctrlKey, metaKey, shiftKey } = event;
  const target = event.target as Element;
  // A dialog that a row has opened is a child of the row for React.
  if (!row.contains(target) || target.closest(CONTROLS)) return;
  if (button > 1 || window.getSelection()?.isCollapsed === false) return;
  const link = row.querySelector('.lead a[href]');
  const keys = { ctrlKey: ctrlKey || button === 1, metaKey, shiftKey };
  link?.dispatchEvent(new window.MouseEvent('click', { bubbles: true, cancelable: true, view: window, ...keys }));
}
