import type { buy as english } from '../en/buy.ts';

export const buy: Record<keyof typeof english, string> = {
  title: 'Ihre Auswahl',
  intro: 'Jemand hat diese Auswahl für Sie zusammengestellt. Es ist noch nichts bestellt.',
  go: 'Zur Kasse',
  after: 'Dort geben Sie Ihre Adresse ein und prüfen alles, bevor Sie bestellen.',
  quantity: 'Menge',
  quantity_of: 'Menge von {name}',
  update: 'Mengen aktualisieren',
  delivery_later: 'Versand und Rabatte kommen an der Kasse hinzu.',
  code: 'Code: {code}',
  gone: 'Diese Artikel sind nicht mehr erhältlich',
  gone_text:
    'Die Artikel dieses Links sind in diesem Shop nicht mehr erhältlich. Bitten Sie die Person, von der Sie den Link haben, um einen neuen.',
  short:
    'Nicht alle Artikel sind in dieser Menge vorrätig. Versuchen Sie es später noch einmal, oder fragen Sie die Person, von der Sie den Link haben.',
  missing:
    '{count, plural, one {Ein Artikel aus dem Link ist nicht mehr erhältlich.} other {# Artikel aus dem Link sind nicht mehr erhältlich.}}',
};
