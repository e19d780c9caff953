import type { ReactNode } from 'react';

/** A link to a URL that somebody else entered. Without an http or https URL, only the text is shown. */
export function SafeLink({ href, children }: { href: string | null | undefined; children: ReactNode }) {
  if (!isWebAddress(href)) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** Whether the text is an http or https URL. */
export function isWebAddress(href: string | null | undefined): href is string {
  return !!href && URL.canParse(href) && /^https?:$/.test(new URL(href).protocol);
}
