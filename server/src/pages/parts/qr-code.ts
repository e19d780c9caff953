import { type Html, html } from './html.ts';

/** Renders a QR code, given as a matrix of dark modules, as an SVG. `label` describes its purpose. */
export function qrCode(modules: boolean[][], label: string): Html {
  const size = modules.length;
  return html`<svg class="qr-code" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges">
<rect width="${size}" height="${size}" fill="#fff"/><path d="${modules.map(rowOf).join('')}" fill="#000"/></svg>`;
}

/** Draws neighbouring dark modules as one rectangle. */
function rowOf(row: boolean[], y: number): string {
  const starts = row.flatMap((dark, x) => (dark && !row[x - 1] ? [x] : []));
  return starts.map((x) => `M${x} ${y}h${lengthOf(row, x)}v1H${x}z`).join('');
}

function lengthOf(row: boolean[], start: number): number {
  const end = row.indexOf(false, start);
  return (end < 0 ? row.length : end) - start;
}
