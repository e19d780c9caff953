import { FAVICON_PATH } from '../parts/favicon.ts';
import { type Html, html } from '../parts/html.ts';

/** The URL of a documentation file: a path on a server, or a relative path in a folder. */
export type Link = (file: string) => string;

export function docsDocument({ title, link, main }: { title: string; link: Link; main: Html }): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Commerce backend</title>
<link rel="icon" href="${FAVICON_PATH}" type="image/svg+xml">
<link rel="stylesheet" href="${link('docs.css')}">
</head>
<body>
${main}
</body>
</html>
`.text;
}
