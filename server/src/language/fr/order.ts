import type { order as english } from '../en/order.ts';

export const order: Record<keyof typeof english, string> = {
  placed: 'Passée le {moment}',
  payment: 'Paiement',
  payment_by: '{method} : {state}',
  delivery: 'Livraison',
  delivery_by: '{method} : {state}',
  cancelled_on: 'La commande a été annulée le {moment}.',
  parcels: 'Colis',
  parcel: 'Expédié le {moment}',
  parcel_delivered: 'Livré le {moment}',
  carrier: 'Transporteur',
  tracking_number: 'Numéro de suivi',
  track: 'Suivre ce colis',
  track_number: 'Suivre le colis {number}',
  refunds: 'Remboursements',
  refund_done: '{amount} ont été remboursés le {moment}.',
  refund_pending: '{amount} sont en cours de remboursement. Cela peut prendre quelques jours.',
  tax_at: 'TVA {rate}',
  tax_contained_at: 'Dont {amount} de TVA ({rate})',
};
