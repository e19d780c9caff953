import type { profile as english } from '../en/profile.ts';

export const profile: Record<keyof typeof english, string> = {
  sections: 'Bereiche Ihres Kontos',
  page: 'Seite {page} von {pages}',
  newer: 'Neuere Bestellungen',
  older: 'Ältere Bestellungen',
  and_more: '{name} und {count, plural, one {# weiterer Artikel} other {# weitere Artikel}}',

  addresses: 'Adressen',
  addresses_none: 'Noch keine Adressen gespeichert.',
  addresses_why: 'Änderungen gelten nicht für Bestellungen, die Sie schon aufgegeben haben.',
  address_add: 'Adresse hinzufügen',
  address_edit: 'Adresse bearbeiten',
  address_change: 'Bearbeiten',
  address_edit_of: 'Adresse {address} bearbeiten',
  address_default: 'Standardadresse',
  address_make_default: 'Als Standard verwenden',
  address_make_default_of: 'Als Standard verwenden: {address}',
  address_default_box: 'Als Standardadresse verwenden',
  address_save: 'Adresse speichern',
  address_delete: 'Diese Adresse löschen',
  address_check: 'Bitte prüfen Sie die Adresse',
  address_limit: 'Sie können höchstens {count} Adressen speichern. Löschen Sie eine, die Sie nicht mehr brauchen.',
  addresses_back: 'Zurück zu Ihren Adressen',
  address_saved: 'Die Adresse wurde gespeichert.',
  address_deleted: 'Die Adresse wurde gelöscht.',

  title: 'Profil',
  check: 'Bitte prüfen Sie diese Angaben',
  own: 'Ihre Daten',
  language: 'Sprache der Seiten und E-Mails',
  language_auto: 'Sprache meines Browsers',
  save: 'Speichern',
  saved: 'Ihre Daten wurden gespeichert.',

  email: 'E-Mail-Adresse',
  email_now: 'Sie melden sich mit {email} an.',
  email_new: 'Neue E-Mail-Adresse',
  email_change: 'E-Mail-Adresse ändern',
  email_after: 'Wir senden einen Link an die neue Adresse. Bis Sie ihn öffnen, gilt weiterhin die bisherige Adresse.',
  email_same: 'Das ist bereits die Adresse Ihres Kontos.',
  email_sent:
    'Wir haben eine E-Mail an die neue Adresse gesendet. Öffnen Sie den Link darin, um die Änderung zu bestätigen. Bis dahin melden Sie sich mit {email} an.',

  password: 'Passwort',
  password_current: 'Aktuelles Passwort',
  password_change: 'Passwort ändern',
  password_after: 'Alle anderen Geräte werden abgemeldet.',
  password_changed: 'Ihr Passwort wurde geändert. Alle anderen Geräte wurden abgemeldet.',
  password_empty: 'Geben Sie Ihr aktuelles Passwort ein.',
  password_wrong: 'Dieses Passwort ist falsch. Versuchen Sie es noch einmal.',

  delete: 'Konto löschen',
  delete_why: 'Löscht Ihr Profil und Ihre Adressen endgültig.',
  delete_link: 'Konto löschen …',
  delete_removed:
    'Ihr Profil, Ihre Adressen und Ihre Warenkörbe werden gelöscht. Das lässt sich nicht rückgängig machen.',
  delete_orders:
    'Ihre Bestellungen bewahrt der Shop für seine Buchhaltung auf, wie es das Gesetz verlangt. Sie sehen sie hier nicht mehr, und die Bestell-Links in unseren E-Mails funktionieren nicht mehr. Wenn Sie etwas zurücksenden möchten, schreiben Sie dem Shop.',
  delete_agents:
    '{count, plural, one {# Assistent verliert seinen Zugang} other {# Assistenten verlieren ihren Zugang}}: {names}.',
  delete_open:
    '{count, plural, one {Diese Bestellung ist noch nicht abgeschlossen} other {Diese Bestellungen sind noch nicht abgeschlossen}}: {numbers}. {count, plural, one {Sie wird} other {Sie werden}} nicht storniert: Der Shop liefert weiterhin, und offene Beträge sind weiterhin zu zahlen.',
  delete_button: 'Konto endgültig löschen',
  delete_back: 'Konto behalten',
  delete_paying:
    'Gerade wird eine Zahlung verarbeitet. Warten Sie einige Minuten, bis sie abgeschlossen ist, und löschen Sie dann das Konto.',
  deleted: 'Ihr Konto wurde gelöscht',
  deleted_text: 'Sie sind überall abgemeldet. Wir haben Ihr Passwort, Ihr Profil und Ihre Adressen gelöscht.',
};
