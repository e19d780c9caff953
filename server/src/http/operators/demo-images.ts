import type { RequestHandler } from 'express';

/** Serves the demo shop's product images from this package, so that the demo needs no network. */
export const demoImages: RequestHandler<{ name: string }> = async (req, res, next) => {
  const { demoImage } = await import('../../demo/images.ts');
  const svg = await demoImage(req.params.name.replace(/\.svg$/, ''));
  if (!svg) return next();
  res.set({
    'Cache-Control': 'public, max-age=86400',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
    'Access-Control-Allow-Origin': '*',
  });
  res.type('image/svg+xml').send(svg);
};
