import { headers } from 'next/headers';
import { NextResponse } from 'next/server';
import { isLanguage } from '../lib/words.ts';

/** Redirects to the first of the browser's languages that the storefront has, otherwise to English. */
export async function GET(request: Request) {
  const wanted = (await headers()).get('accept-language') ?? '';
  const language =
    wanted
      .split(',')
      .map((one) => one.trim().slice(0, 2).toLowerCase())
      .find(isLanguage) ?? 'en';
  return NextResponse.redirect(new URL(`/${language}`, request.url));
}
