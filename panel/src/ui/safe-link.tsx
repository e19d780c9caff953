import type { ReactNode } from 'react';

/** A link to a URL from somebody else. If it is not a web page, only the text is shown. */
export function SafeLink({ href, children }: { href: string | null | undefined; children: ReactNode }) {
  if (!isWebAddress(href)) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** Whether a URL is a web page's, not that of a script or file. */
export function isWebAddress(href: string | null | undefined): href is string {
  return !!href && URL.canParse(href) && /^https?:$/.test(new URL(href).protocol);
}
