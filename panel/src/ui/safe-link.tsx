import type { ReactNode } from 'react';

/** A link to an address from somebody else: only if it is a web address; otherwise just the text. */
export function SafeLink({ href, children }: { href: string | null | undefined; children: ReactNode }) {
  if (!isWebAddress(href)) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** Whether an address is a web page, not a script or file. */
export function isWebAddress(href: string | null | undefined): href is string {
  return !!href && URL.canParse(href) && /^https?:$/.test(new URL(href).protocol);
}
