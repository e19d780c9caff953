import { NotFoundError, unwrap } from '@commerce-backend/sdk';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { cache } from 'react';
import { Listing, type Query } from '../../../../components/listing.tsx';
import { languageOf } from '../../../../lib/language.ts';
import { shopperClient } from '../../../../lib/shop.ts';

interface CollectionProps {
  params: Promise<{ lang: string; handle: string }>;
  searchParams: Promise<Query>;
}

const read = cache(async (id_or_handle: string) => {
  const shop = await shopperClient();
  return unwrap(shop.GET('/api/storefront/collections/{id_or_handle}', { params: { path: { id_or_handle } } })).catch(
    (error) => {
      if (error instanceof NotFoundError) notFound();
      throw error;
    },
  );
});

export async function generateMetadata({ params }: CollectionProps): Promise<Metadata> {
  const { title, description } = await read((await params).handle);
  return { title, description };
}

export default async function Collection({ params, searchParams }: CollectionProps) {
  const language = await languageOf(params);
  const { title, handle } = await read((await params).handle);
  return <Listing language={language} title={title} query={await searchParams} collection={handle} />;
}
