import type { withdrawal as english } from '../en/withdrawal.ts';

export const withdrawal: Record<keyof typeof english, string> = {
  link: 'Vertrag widerrufen',
  title: 'Vertrag widerrufen',
  intro: 'Hier können Sie einen Vertrag mit {shop} widerrufen. Sie müssen keinen Grund nennen.',
  steps: 'Schritt {step} von 2',
  check_this: 'Bitte prüfen Sie Ihre Angaben',
  name: 'Ihr Name',
  email: 'E-Mail-Adresse',
  email_hint: 'An diese Adresse senden wir die Eingangsbestätigung.',
  contract: 'Bestellnummer',
  contract_hint:
    'Sie steht in Ihrer Bestellbestätigung. Wenn Sie sie nicht haben, beschreiben Sie, was Sie wann bestellt haben.',
  items: 'Artikel, die Sie widerrufen',
  items_hint: 'Lassen Sie dieses Feld leer, um den ganzen Vertrag zu widerrufen.',
  note: 'Weitere Angaben',
  choose: 'Artikel der Bestellung {number}',
  choose_hint: 'Wenn Sie keinen Artikel auswählen, widerrufen Sie den ganzen Vertrag.',
  choice_changed: 'Die Artikel der Bestellung haben sich geändert. Bitte wählen Sie noch einmal.',
  none: 'Nicht ausgewählt',
  exempt: '{name} (möglicherweise vom Widerrufsrecht ausgenommen)',
  name_missing: 'Geben Sie Ihren Namen ein.',
  email_wrong: 'Geben Sie eine E-Mail-Adresse ein, unter der wir Sie erreichen.',
  contract_missing: 'Geben Sie die Bestellnummer ein, oder beschreiben Sie, was Sie wann bestellt haben.',
  too_long: 'Kürzen Sie diesen Text auf höchstens {count} Zeichen.',
  review: 'Widerruf bestätigen',
  declare: 'Hiermit widerrufe ich den Vertrag über die folgenden Waren oder Dienstleistungen:',
  all: 'Der ganze Vertrag',
  confirm: 'Widerruf bestätigen',
  change: 'Angaben ändern',
  sent: 'Ihr Widerruf ist eingegangen',
  sent_text:
    'Wir senden eine Eingangsbestätigung mit Datum, Uhrzeit und Ihrer Erklärung an die E-Mail-Adresse, die Sie angegeben haben.',
  stated_subject: 'Ihr Widerruf ist eingegangen',
  stated:
    'Mit Ihrer E-Mail-Adresse wurde uns der Widerruf eines Vertrags mit {shop} gesendet. Er ist am {moment} eingegangen.',
  stated_statement: 'Die Erklärung',
  stated_next:
    'Wir prüfen nun, welche Bestellung der Widerruf betrifft, und melden uns bei Ihnen. Bitte bewahren Sie diese E-Mail auf.',
  stated_not_you: 'Wenn Sie diese Erklärung nicht gesendet haben, wenden Sie sich bitte an den Shop.',
};
