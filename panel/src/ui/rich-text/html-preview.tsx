import { useDeferredValue } from 'react';

/**
 * A live preview of HTML in a fully sandboxed frame, which has its own origin and inherits the panel's
 * Content-Security-Policy. Links do nothing.
 */
export function HtmlPreview({ title, html }: { title: string; html: string }) {
  const shown = useDeferredValue(html);
  return <iframe className="html-preview" title={title} sandbox="" srcDoc={`${HEAD}${shown}`} />;
}

/** The Content-Security-Policy blocks styles in the frame, so a `font` element sets the font. */
const HEAD = '<!doctype html><meta charset="utf-8"><base target="_blank"><font face="system-ui, sans-serif">';
