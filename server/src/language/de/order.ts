import type { order as english } from '../en/order.ts';

export const order: Record<keyof typeof english, string> = {
  placed: 'Bestellt am {moment}',
  payment: 'Zahlung',
  payment_by: '{method}: {state}',
  delivery: 'Versand',
  delivery_by: '{method}: {state}',
  cancelled_on: 'Die Bestellung wurde am {moment} storniert.',
  parcels: 'Sendungen',
  parcel: 'Versandt am {moment}',
  parcel_delivered: 'Zugestellt am {moment}',
  carrier: 'Versanddienst',
  tracking_number: 'Sendungsnummer',
  track: 'Sendung verfolgen',
  track_number: 'Sendung {number} verfolgen',
  refunds: 'Erstattungen',
  refund_done: 'Am {moment} erstattet: {amount}',
  refund_pending: 'Erstattung unterwegs: {amount}. Das kann einige Tage dauern.',
  refund_due: 'Noch zu erstatten: {amount}',
  exchange_credit: 'Ihre Rücksendung bezahlt {amount} dieser Bestellung.',
  amount_due: 'Noch zu zahlen',
  amount_due_text:
    'Für diese Bestellung sind noch {amount} zu zahlen. Bitte schreiben Sie uns, damit wir die Zahlung mit Ihnen klären.',
  due_online: 'Für diese Bestellung sind noch {amount} zu zahlen. Sie können den Betrag jetzt online bezahlen.',
  due_online_or_transfer:
    'Für diese Bestellung sind noch {amount} zu zahlen. Bezahlen Sie den Betrag jetzt online, oder überweisen Sie ihn.',
  due_processing: 'Ihre Zahlung von {amount} wird gerade verarbeitet. Sie müssen nicht noch einmal bezahlen.',
  pay_due: 'Jetzt {amount} bezahlen',
  pay_failed: 'Die Zahlung konnte nicht gestartet werden',
  pay_failed_text: 'Es wurde nichts abgebucht. Bitte schreiben Sie dem Shop, damit er die Zahlung mit Ihnen klärt.',
  tax_at: 'MwSt. {rate}',
  tax_contained_at: 'Enthält {amount} MwSt. ({rate})',

  answer: 'E-Mail-Adresse oder Postleitzahl der Bestellung',
  answer_hint: 'Geben Sie eines von beiden ein, um die vollständige Adresse zu sehen.',
  answer_to_pay: 'Geben Sie eines von beiden ein, um zu bezahlen oder die vollständige Adresse zu sehen.',
  answer_button: 'Vollständige Adresse anzeigen',
  answer_empty: 'Geben Sie die E-Mail-Adresse oder die Postleitzahl der Bestellung ein.',
  answer_wrong: 'Das ist weder die E-Mail-Adresse noch eine Postleitzahl der Bestellung. Prüfen Sie die Schreibweise.',
  answers_over: 'Zu viele falsche Antworten',
  answers_over_text:
    'Warten Sie 15 Minuten und öffnen Sie dann den Link in der E-Mail noch einmal. Die vollständige Adresse steht auch in der E-Mail, mit der wir Ihre Bestellung bestätigt haben.',
  link_dead: 'Dieser Link führt zu keiner Bestellung',
  link_dead_text:
    'Vielleicht wurde er abgeschnitten oder falsch abgetippt. Öffnen Sie den Link in der neuesten E-Mail zu dieser Bestellung.\nWenn das nicht hilft, wenden Sie sich an den Shop.',
  link_over: 'Dieser Link ist abgelaufen',
  link_over_text:
    'Links in unseren E-Mails zeigen eine Bestellung bis 90 Tage nach der letzten Änderung an.\nWenn Sie eine Frage zu Ihrer Bestellung haben, schreiben Sie dem Shop und nennen Sie die Bestellnummer aus der E-Mail.',
};
