'use client';

import Link from 'next/link';
import { useSearchParams } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';
import type { Suggestion } from '../app/[lang]/suggest/route.ts';
import { useWords } from './words.tsx';

/** The search field with suggestions while the shopper types. Without JavaScript it is an ordinary form. */
export function SearchBox() {
  const { t, language, money } = useWords();
  const [q, setQ] = useState(useSearchParams().get('q') ?? '');
  const [typed, setTyped] = useState('');
  const [found, setFound] = useState<Suggestion[]>([]);
  const box = useRef<HTMLFormElement>(null);

  useEffect(() => {
    if (!typed.trim()) return setFound([]);
    const asked = new AbortController();
    const waiting = setTimeout(async () => {
      const url = `/${language}/suggest?${new URLSearchParams({ q: typed })}`;
      const answer = await fetch(url, { signal: asked.signal }).catch(() => undefined);
      if (answer?.ok) setFound(await answer.json().catch(() => []));
    }, 150);
    return () => {
      clearTimeout(waiting);
      asked.abort();
    };
  }, [typed, language]);

  return (
    <search>
      <form
        ref={box}
        className="search"
        action={`/${language}/search`}
        onBlur={({ relatedTarget }) => !box.current?.contains(relatedTarget) && setFound([])}
        onKeyDown={({ key }) => key === 'Escape' && setFound([])}
      >
        <label className="unseen" htmlFor="q">
          {t('search')}
        </label>
        <input
          id="q"
          name="q"
          type="search"
          maxLength={200}
          autoComplete="off"
          placeholder={t('search_hint')}
          value={q}
          onChange={({ target }) => {
            setQ(target.value);
            setTyped(target.value);
          }}
        />
        <button type="submit">{t('search')}</button>
        {found.length > 0 && (
          <ul className="suggestions">
            {found.map(({ slug, name, image, price, currency }) => (
              <li key={slug}>
                <Link href={`/${language}/products/${slug}`} onClick={() => setFound([])}>
                  {image && <img src={image} alt="" width={40} height={40} />}
                  <span>{name}</span> <span className="quiet">{money(price, currency)}</span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </form>
    </search>
  );
}
