import { unwrap } from '@commerce-backend/sdk';
import { NextResponse } from 'next/server';
import { shopperClient } from '../../../lib/shop.ts';

export interface Suggestion {
  slug: string;
  name: string;
  image: string | null;
  price: string;
  currency: string;
}

/** Products for a partly typed query. The token stays on the server. */
export async function GET(request: Request) {
  const q = new URL(request.url).searchParams.get('q')?.trim().slice(0, 200);
  if (!q) return NextResponse.json([]);
  const shop = await shopperClient();
  const { products } = await unwrap(shop.GET('/api/storefront/suggest', { params: { query: { q, limit: 5 } } }));
  const found = products.map(({ slug, name, image_url, price, currency }): Suggestion => {
    return { slug, name, image: image_url ?? null, price, currency };
  });
  return NextResponse.json(found);
}
