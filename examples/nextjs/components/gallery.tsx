'use client';

import type { Schemas } from '@commerce-backend/sdk';
import { useState } from 'react';
import { useWords } from './words.tsx';

type Picture = Schemas['Product']['images'][number];

/** One large picture, and thumbnails that select it. */
export function Gallery({ images, name }: { images: readonly Picture[]; name: string }) {
  const { t } = useWords();
  const [place, setPlace] = useState(0);
  const shown = images[place] ?? images[0];
  if (!shown) return <div className="gallery no-picture" />;
  const { url, alt, width, height, sources = [] } = shown;
  return (
    <div className="gallery">
      <img
        src={url}
        srcSet={sources.map((source) => `${source.url} ${source.width}w`).join(', ') || undefined}
        sizes="(max-width: 800px) 100vw, 50vw"
        alt={alt ?? name}
        width={width ?? 800}
        height={height ?? 800}
      />
      {images.length > 1 && (
        <ul className="thumbnails">
          {images.map((image, number) => (
            <li key={image.url}>
              <button
                type="button"
                aria-label={t('picture', { number: number + 1 })}
                aria-pressed={number === place}
                onClick={() => setPlace(number)}
              >
                <img src={image.url} alt="" width={64} height={64} loading="lazy" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
