import { type ReactNode, useState } from 'react';
import './picture.css';

/** A small picture next to a name; an empty box if there is none, or if it fails to load. The alt text is empty because of the name. */
export function Picture({ url }: { url: string | null | undefined }) {
  const [broken, setBroken] = useState<string>();
  if (!url || url === broken || !/^https?:\/\/|^\//.test(url)) return <span className="thumb" aria-hidden="true" />;
  return <img className="thumb" src={url} alt="" loading="lazy" decoding="async" onError={() => setBroken(url)} />;
}

/** A name with its picture, the first column of lists of goods. */
export function Pictured({ url, children }: { url: string | null | undefined; children: ReactNode }) {
  return (
    <span className="pictured">
      <Picture url={url} />
      <span>{children}</span>
    </span>
  );
}
