/**
 * The tracking pages of carriers, by name in lower case without spaces and punctuation. `{number}` stands for the
 * tracking number, `{language}` for the language of the page. Names of express services are left out, because their
 * numbers have separate pages.
 */
const TRACKING_PAGES = new Map(
  Object.entries({
    austrianpost: 'https://www.post.at/sv/sendungsdetails?snr={number}',
    dhl: 'https://www.dhl.de/{language}/privatkunden/pakete-empfangen/verfolgen.html?piececode={number}',
    dpd: 'https://tracking.dpd.de/status/en_US/parcel/{number}',
    fedex: 'https://www.fedex.com/fedextrack/?trknbr={number}',
    gls: 'https://gls-group.eu/track/{number}',
    hermes: 'https://www.myhermes.de/empfangen/sendungsverfolgung/sendungsinformation#{number}',
    laposte: 'https://www.laposte.fr/outils/suivre-vos-envois?code={number}',
    postnl: 'https://postnl.nl/tracktrace/?B={number}',
    royalmail: 'https://www.royalmail.com/track-your-item#/tracking-results/{number}',
    ups: 'https://www.ups.com/track?tracknum={number}',
  }),
);

/**
 * The URL of the carrier's tracking page for a parcel, in German for readers of German; null if the carrier is not
 * listed or the number is missing.
 */
export function trackingPage(
  carrier: string | null | undefined,
  number: string | null | undefined,
  locale: string,
): string | null {
  const language = locale.startsWith('de') ? 'de' : 'en';
  const page = TRACKING_PAGES.get(carrier?.toLowerCase().replaceAll(/[^a-z]/g, '') ?? '');
  if (!page || !number) return null;
  return page.replace('{language}', language).replace('{number}', encodeURIComponent(number.replaceAll(/\s/g, '')));
}
