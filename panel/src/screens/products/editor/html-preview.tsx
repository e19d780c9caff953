import { useDeferredValue } from 'react';

/**
 * Formatted text as customers will see it, while it is still as it was typed: in a frame whose sandbox allows nothing, with an
 * origin of its own, and under the panel's own policy, which a frame of this kind inherits. Links lead nowhere.
 */
export function HtmlPreview({ title, html }: { title: string; html: string }) {
  const shown = useDeferredValue(html);
  return <iframe className="html-preview" title={title} sandbox="" srcDoc={`${HEAD}${shown}`} />;
}

/** No style reaches the frame: the typeface is set as HTML once did. */
const HEAD = '<!doctype html><meta charset="utf-8"><base target="_blank"><font face="system-ui, sans-serif">';
