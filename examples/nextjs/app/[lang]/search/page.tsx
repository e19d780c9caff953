import type { Metadata } from 'next';
import { Listing, type Query } from '../../../components/listing.tsx';
import { languageOf } from '../../../lib/language.ts';
import { say } from '../../../lib/words.ts';

interface SearchProps {
  params: Promise<{ lang: string }>;
  searchParams: Promise<Query>;
}

async function titleOf({ params, searchParams }: SearchProps): Promise<string> {
  const [language, { q }] = await Promise.all([languageOf(params), searchParams]);
  return q ? say(language, 'results_for', { q: String(q) }) : say(language, 'all_products');
}

export async function generateMetadata(props: SearchProps): Promise<Metadata> {
  const { q } = await props.searchParams;
  return { title: await titleOf(props), robots: { index: q === undefined } };
}

export default async function Search(props: SearchProps) {
  const language = await languageOf(props.params);
  return <Listing language={language} title={await titleOf(props)} query={await props.searchParams} />;
}
