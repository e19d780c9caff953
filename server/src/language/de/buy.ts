import type { buy as english } from '../en/buy.ts';

export const buy: Record<keyof typeof english, string> = {
  title: 'Ihre Auswahl',
  intro: 'Das wurde für Sie zusammengestellt. Es ist noch nichts bestellt.',
  go: 'Zur Kasse',
  after: 'Dort geben Sie Ihre Adresse ein und prüfen alles, bevor Sie bestellen.',
  code: 'Code: {code}',
  gone: 'Hier gibt es nichts zu kaufen',
  gone_text:
    'Die Artikel dieses Links sind in diesem Shop nicht mehr erhältlich. Bitten Sie die Person, von der Sie ihn haben, um einen neuen.',
  short:
    'Davon ist nicht genug übrig. Versuchen Sie es später, oder fragen Sie die Person, von der Sie den Link haben.',
  missing:
    '{count, plural, one {Ein Artikel des Links wird nicht mehr verkauft.} other {# Artikel des Links werden nicht mehr verkauft.}}',
  item: '{name} × {quantity}',
};
