import type { MouseEvent } from 'react';

const CONTROLS = 'a, button, input, label, select, textarea, summary';

/**
 * Follows the link in a row's first column after a click anywhere else in the row. Modifier keys work as on a link, so
 * Ctrl opens a new tab. Keyboards and screen readers use the link itself.
 */
export function openRow(event: MouseEvent<HTMLTableRowElement>): void {
  const { currentTarget: row, button, ctrlKey, metaKey, shiftKey } = event;
  const target = event.target as Element;
  // For React, a dialog that a row has opened is a child of the row.
  if (!row.contains(target) || target.closest(CONTROLS)) return;
  if (button > 1 || window.getSelection()?.isCollapsed === false) return;
  const link = row.querySelector('.lead a[href]');
  const keys = { ctrlKey: ctrlKey || button === 1, metaKey, shiftKey };
  link?.dispatchEvent(new window.MouseEvent('click', { bubbles: true, cancelable: true, view: window, ...keys }));
}
