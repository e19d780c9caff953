import { useDeferredValue } from 'react';

/**
 * A preview of formatted text while it is being typed: in a frame whose sandbox allows nothing, with an
 * origin of its own, and under the panel's own policy, which such a frame inherits. Links are inert.
 */
export function HtmlPreview({ title, html }: { title: string; html: string }) {
  const shown = useDeferredValue(html);
  return <iframe className="html-preview" title={title} sandbox="" srcDoc={`${HEAD}${shown}`} />;
}

/** The policy blocks styles in the frame, so the typeface is set by an element, as HTML once did. */
const HEAD = '<!doctype html><meta charset="utf-8"><base target="_blank"><font face="system-ui, sans-serif">';
