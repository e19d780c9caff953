import type { mail as english } from '../en/mail.ts';

export const mail: Record<keyof typeof english, string> = {
  placed_subject: 'Ihre Bestellung {number} bei {shop}',
  placed: 'Vielen Dank für Ihre Bestellung.',
  reminder_subject: 'Ihre Bestellung {number} wartet auf Ihre Zahlung',
  reminder: 'Wir halten die Bestellung {number} für Sie zurück.',
  received_subject: 'Ihre Zahlung für Bestellung {number} ist eingegangen',
  received: 'Vielen Dank: {amount} für Bestellung {number} sind eingegangen.',
  received_next: 'Wir bereiten Ihre Bestellung vor und schreiben Ihnen, sobald sie unterwegs ist.',
  shipped_subject: 'Ihre Bestellung {number} ist unterwegs',
  shipped: 'Ein Paket zu Bestellung {number} ist unterwegs.',
  cancelled_subject: 'Ihre Bestellung {number} wurde storniert',
  cancelled: 'Ihre Bestellung {number} wurde storniert.',
  cancelled_expired: 'Ihre Zahlung ist nicht rechtzeitig eingegangen. Die Bestellung {number} wurde storniert.',
  cancelled_failed: 'Ihre Zahlung ist fehlgeschlagen. Die Bestellung {number} wurde storniert.',
  refunded_subject: 'Wir haben Ihnen {amount} zu Bestellung {number} erstattet',
  refunded: 'Wir haben Ihnen {amount} zu Bestellung {number} erstattet.',
  refunded_card:
    'Sie erhalten das Geld auf dem Weg zurück, auf dem Sie bezahlt haben. Je nach Bank dauert das einige Tage.',
  refunded_other:
    'Der Shop überweist Ihnen das Geld zurück. Ist es in einigen Tagen nicht angekommen, schreiben Sie uns.',
  next_transfer:
    'Bitte überweisen Sie den Betrag bis {day} unter Angabe des Verwendungszwecks. Wir versenden die Ware, sobald das Geld eingegangen ist.',
  next_preparing: 'Wir bereiten Ihre Bestellung vor und schreiben Ihnen, sobald sie unterwegs ist.',
  next_unconfirmed:
    'Ihre Bank hat die Zahlung noch nicht bestätigt. Wir schreiben Ihnen, sobald die Bestätigung da ist.',
  next_handed_over: 'Sie zahlen, wenn Sie die Ware erhalten.',
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
