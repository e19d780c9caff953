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
  refund_done: '{amount} wurden am {moment} erstattet.',
  refund_pending: '{amount} werden gerade erstattet. Das kann einige Tage dauern.',
  tax_at: 'MwSt. {rate}',
  tax_contained_at: 'Enthält {amount} MwSt. ({rate})',
};
