import type { mail as english } from '../en/mail.ts';

export const mail: Record<keyof typeof english, string> = {
  placed_subject: 'Ihre Bestellung {number} bei {shop}',
  digital_consent:
    'Sie haben ausdrücklich zugestimmt, dass wir vor Ablauf der Widerrufsfrist mit der Bereitstellung der digitalen Inhalte beginnen, und bestätigt, dass durch Ihre Zustimmung mit Beginn der Vertragserfüllung Ihr Widerrufsrecht für diese Inhalte erlischt.',
  placed: 'Vielen Dank für Ihre Bestellung.',
  draft_subject: 'Ihr Angebot von {shop}',
  draft:
    'Wir haben eine Bestellung für Sie vorbereitet. Auf der folgenden Seite können Sie sie bis zum {day} prüfen, ergänzen und annehmen.',
  draft_link: 'Angebot ansehen',
  draft_note: 'Hinweis des Shops: {note}',
  reminder_subject: 'Ihre Bestellung {number} wartet auf Ihre Zahlung',
  reminder: 'Die Artikel der Bestellung {number} sind für Sie reserviert.',
  overdue_subject: 'Zahlungserinnerung zu Ihrer Bestellung {number}',
  overdue:
    'Für die Bestellung {number} ist noch nicht der gesamte Betrag eingegangen. Er war am {day} fällig. Falls Sie inzwischen gezahlt haben, ist dieses Schreiben gegenstandslos.',
  received_part_subject: 'Eine Teilzahlung für Bestellung {number} ist eingegangen',
  received_part: '{amount} für Ihre Bestellung {number} sind bei uns eingegangen. Vielen Dank.',
  received_subject: 'Ihre Zahlung für Bestellung {number} ist eingegangen',
  received: 'Vielen Dank. Ihre Zahlung von {amount} für Bestellung {number} ist eingegangen.',
  received_next: 'Wir bereiten Ihre Bestellung vor und schreiben Ihnen, sobald sie unterwegs ist.',
  edited_subject: 'Ihre Bestellung {number} wurde geändert',
  edited: 'Wir haben Ihre Bestellung {number} geändert. Unten sehen Sie den neuen Stand.',
  edited_due_transfer:
    'Es ist noch ein Betrag von {amount} offen. Bitte überweisen Sie ihn mit dem angegebenen Verwendungszweck.',
  edited_due:
    'Es ist noch ein Betrag von {amount} offen. Bitte antworten Sie auf diese E-Mail, damit wir die Zahlung mit Ihnen klären.',
  edited_due_online:
    'Es ist noch ein Betrag von {amount} offen. Über die Schaltfläche in dieser E-Mail können Sie ihn online bezahlen.',
  shipped_subject: 'Ihre Bestellung {number} ist unterwegs',
  shipped: 'Ein Paket Ihrer Bestellung {number} ist unterwegs.',
  provided_subject: 'Ihre Bestellung {number} ist erledigt',
  provided: 'Folgende Positionen Ihrer Bestellung {number} wurden bereitgestellt.',
  provided_items: 'Bereitgestellt',
  parcel: 'In diesem Paket',
  parcel_others: 'Der Rest Ihrer Bestellung folgt in einem weiteren Paket.',
  parcel_all: 'Damit ist Ihre gesamte Bestellung unterwegs.',
  cancelled_subject: 'Ihre Bestellung {number} wurde storniert',
  cancelled: 'Ihre Bestellung {number} wurde storniert.',
  cancelled_expired: 'Ihre Zahlung ist nicht rechtzeitig eingegangen. Die Bestellung {number} wurde storniert.',
  cancelled_failed: 'Ihre Zahlung ist fehlgeschlagen. Die Bestellung {number} wurde storniert.',
  money_refunded: 'Wir haben Ihnen {amount} erstattet.',
  money_pending: 'Die Erstattung von {amount} ist zu Ihnen unterwegs. Das kann einige Tage dauern.',
  money_owed: 'Wir erstatten Ihnen {amount}.',
  nothing_charged: 'Ihnen wurde nichts berechnet.',
  nothing_received: 'Bei uns ist keine Zahlung eingegangen. Bitte überweisen Sie den Betrag nicht mehr.',
  sent_back_subject: 'Ihre Erstattung von {amount} für Bestellung {number} ist nicht angekommen',
  sent_back:
    'Wir haben Ihnen {amount} für Bestellung {number} erstattet, doch Ihre Bank hat das Geld an uns zurücküberwiesen.',
  sent_back_answer: 'Bitte schreiben Sie uns, damit wir Ihnen den Betrag auf einem anderen Weg erstatten können.',
  refunded_subject: 'Wir haben Ihnen {amount} für Bestellung {number} erstattet',
  refunded: 'Wir haben Ihnen {amount} für Bestellung {number} erstattet.',
  refunded_card:
    'Sie erhalten das Geld über die Zahlungsart zurück, mit der Sie bezahlt haben. Je nach Bank kann das einige Tage dauern.',
  refunded_other:
    'Sie erhalten das Geld per Überweisung. Wenn es nach einigen Tagen noch nicht da ist, schreiben Sie uns.',
  next_transfer:
    'Bitte überweisen Sie den Betrag bis {day} unter Angabe des Verwendungszwecks. Wir versenden die Ware, sobald das Geld eingegangen ist.',
  next_transfer_only: 'Bitte überweisen Sie den Betrag bis {day} mit dem angegebenen Verwendungszweck.',
  next_preparing: 'Wir bereiten Ihre Bestellung vor und schreiben Ihnen, sobald sie unterwegs ist.',
  next_unconfirmed:
    'Ihre Bank hat die Zahlung noch nicht bestätigt. Wir schreiben Ihnen, sobald die Bestätigung da ist.',
  next_handed_over: 'Sie zahlen, wenn Sie die Ware erhalten.',
  next_invoice:
    'Sie zahlen auf Rechnung. Bitte überweisen Sie den Betrag bis {day} mit dem angegebenen Verwendungszweck.',
  label: '{name}:',
  number: 'Bestellnummer',
  placed_on: 'Bestellt am',
  items: 'Ihre Bestellung',
  of: '{count} von {total}',
  tax_included: 'Enthaltene MwSt.',
  carrier: 'Versanddienst',
  tracking_number: 'Sendungsnummer',
  track: 'Sendung verfolgen',
  view: 'Ihre Bestellung ansehen',
  questions: 'Fragen? Antworten Sie auf diese E-Mail und nennen Sie die Bestellnummer.',
  call: 'Telefon: {phone}',
};
