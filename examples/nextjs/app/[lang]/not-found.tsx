'use client';

import Link from 'next/link';
import { useWords } from '../../components/words.tsx';

export default function NotFound() {
  const { t, language } = useWords();
  return (
    <>
      <h1>{t('not_found')}</h1>
      <Link href={`/${language}/search`}>{t('see_all')}</Link>
    </>
  );
}
