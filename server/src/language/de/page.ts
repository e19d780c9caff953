import type { page as english } from '../en/page.ts';

export const page: Record<keyof typeof english, string> = {
  skip: 'Zum Inhalt springen',
  where_checkout: 'Kasse',
  where_order: 'Ihre Bestellung',
  where_account: 'Ihr Konto',
  where_consent: 'Zustimmung',
  where_legal: 'Rechtliches',
  where_withdraw: 'Widerruf',
  where_server: 'Commerce backend',
  mistake: 'Fehler:',
  mistake_title: 'Fehler: {title}',
  optional: '(optional)',

  not_found: 'Dieser Link ist ungültig',
  not_found_text:
    'Vielleicht wurde er abgeschnitten oder falsch abgetippt. Öffnen Sie ihn noch einmal dort, wo Sie ihn erhalten haben.',
  site_suspended: 'Dieser Shop ist zurzeit geschlossen',
  site_suspended_text:
    'Sie können hier zurzeit nichts bestellen oder ansehen. Bestehende Bestellungen sind davon nicht betroffen: Bei Fragen dazu wenden Sie sich an den Shop.',
  site_moved: 'Dieser Shop zieht gerade um',
  site_moved_text:
    'Er wechselt auf einen anderen Server und ist in wenigen Minuten wieder da. Bestehende Bestellungen sind davon nicht betroffen.',
  rate_limited: 'Zu viele Versuche',
  rate_limited_text:
    'Bitte warten Sie eine Minute, gehen Sie dann zurück und versuchen Sie es noch einmal. Es geht nichts verloren.',
  form_unreadable: 'Das Formular konnte nicht gelesen werden',
  form_unreadable_text: 'Bitte gehen Sie zurück, laden Sie die Seite neu und senden Sie das Formular noch einmal ab.',
  form_too_long: 'Das Formular ist zu lang',
  form_too_long_text: 'Bitte gehen Sie zurück, kürzen Sie Ihren Text und senden Sie ihn noch einmal ab.',
  web_page: 'Dies ist eine Webseite',
  web_page_text: 'Öffnen Sie sie in einem Browser.',
  unavailable: 'Einen Moment bitte',
  unavailable_text:
    'Der Shop ist gerade nicht erreichbar. Gehen Sie zurück und versuchen Sie es in einigen Sekunden noch einmal.',
  internal_error: 'Bei uns ist etwas schiefgegangen',
  internal_error_text: 'Bitte gehen Sie zurück und versuchen Sie es noch einmal.',
  foreign_form: 'Bitte senden Sie das Formular noch einmal ab',
  foreign_form_text:
    'Zu Ihrer Sicherheit lässt sich ein Formular nur von der Seite absenden, auf der es Ihnen angezeigt wurde, und nur einen Tag lang.\nGehen Sie zurück, laden Sie die Seite neu und senden Sie das Formular noch einmal ab. Wenn das nicht hilft, erlauben Sie Cookies für diese Website.',

  login_mistakes: 'Sie sind noch nicht angemeldet',
  login_email: 'E-Mail-Adresse',
  login_password: 'Passwort',
  login_button: 'Anmelden',
  login_hint: 'Mit Ihrem Konto bei {shop}. Nur der Shop sieht das Passwort.',
  login_no_email: 'Geben Sie Ihre E-Mail-Adresse ein.',
  login_no_password: 'Geben Sie Ihr Passwort ein.',
  login_wrong: 'E-Mail-Adresse oder Passwort stimmen nicht, oder Sie haben Ihre E-Mail-Adresse noch nicht bestätigt.',
  log_out: 'Abmelden',

  terms: 'AGB',
  privacy: 'Datenschutz',
  withdrawal: 'Widerruf',
  imprint: 'Impressum',
  to_start: 'Zur Startseite',
  to_account: 'Ihr Konto bei {shop}',
  ask_shop: 'Fragen? Schreiben Sie an',
  back_to_shop: 'Zurück zu {shop}',
};
