import { type ReactNode, useState } from 'react';
import './picture.css';

/**
 * A small image next to a name, or an empty box if there is none or it fails to load. The alt text is empty, because
 * the name describes it.
 */
export function Picture({ url }: { url: string | null | undefined }) {
  const [broken, setBroken] = useState<string>();
  if (!url || url === broken || !/^https?:\/\/|^\//.test(url)) return <span className="thumb" aria-hidden="true" />;
  return <img className="thumb" src={url} alt="" loading="lazy" decoding="async" onError={() => setBroken(url)} />;
}

/** A name with its image. */
export function Pictured({ url, children }: { url: string | null | undefined; children: ReactNode }) {
  return (
    <span className="pictured">
      <Picture url={url} />
      <span>{children}</span>
    </span>
  );
}
