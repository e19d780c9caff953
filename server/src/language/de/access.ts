import type { access as english } from '../en/access.ts';

export const access: Record<keyof typeof english, string> = {
  check: 'Bitte prüfen Sie diese Felder',
  sent: 'Sehen Sie in Ihrem Postfach nach',
  back: 'Zurück zur Anmeldung',

  forgot: 'Passwort vergessen?',
  forgot_title: 'Neues Passwort anfordern',
  forgot_why:
    'Geben Sie die E-Mail-Adresse Ihres Kontos bei {shop} ein. Wir senden Ihnen einen Link, mit dem Sie ein neues Passwort wählen können.',
  forgot_button: 'Link anfordern',
  forgot_sent_text:
    'Wenn es bei {shop} ein Konto mit dieser Adresse gibt, ist eine E-Mail mit einem Link unterwegs. Der Link gilt {life}.\nKeine E-Mail nach ein paar Minuten? Sehen Sie im Spam-Ordner nach und prüfen Sie, ob Sie die Adresse richtig eingegeben haben.',

  register: 'Konto erstellen',
  register_why: 'Mit einem Konto bei {shop} sehen Sie Ihre Bestellungen und bestellen mit wenigen Klicks erneut.',
  register_button: 'Konto erstellen',
  register_after: 'Wir senden Ihnen eine E-Mail. Der Link darin aktiviert das Konto.',
  register_sent_text:
    'Wir haben Ihnen eine E-Mail gesendet. Öffnen Sie den Link darin, um Ihr Konto bei {shop} zu aktivieren, und melden Sie sich dann an. Der Link gilt {life}.\nKeine E-Mail nach ein paar Minuten? Sehen Sie im Spam-Ordner nach und prüfen Sie, ob Sie die Adresse richtig eingegeben haben.',
  have_account: 'Ich habe schon ein Konto',
};
