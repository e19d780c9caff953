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
  refund_done: 'Remboursé le {moment} : {amount}',
  refund_pending: 'Remboursement en cours : {amount}. Cela peut prendre quelques jours.',
  refund_due: 'Reste à vous rembourser : {amount}',
  exchange_credit: 'Votre retour règle {amount} de cette commande.',
  amount_due: 'Reste à payer',
  amount_due_text: 'Il reste {amount} à payer pour cette commande. Écrivez-nous pour convenir du mode de paiement.',
  tax_at: 'TVA {rate}',
  tax_contained_at: 'Dont {amount} de TVA ({rate})',

  answer: 'Adresse e-mail ou code postal de la commande',
  answer_hint: 'Saisissez l’un des deux pour afficher l’adresse complète.',
  answer_button: 'Afficher l’adresse complète',
  answer_empty: 'Saisissez l’adresse e-mail ou le code postal de la commande.',
  answer_wrong: 'Ce n’est ni l’adresse e-mail ni un code postal de la commande. Vérifiez ce que vous avez saisi.',
  answers_over: 'Trop de réponses erronées',
  answers_over_text:
    'Attendez 15 minutes, puis ouvrez de nouveau le lien de l’e-mail. L’adresse complète figure aussi dans l’e-mail de confirmation de la commande.',
  link_dead: 'Ce lien ne mène à aucune commande',
  link_dead_text:
    'Il a peut-être été tronqué ou mal recopié. Ouvrez le lien du dernier e-mail reçu au sujet de la commande.\nSi le problème persiste, adressez-vous à la boutique.',
  link_over: 'Ce lien a expiré',
  link_over_text:
    'Les liens de nos e-mails affichent une commande jusqu’à 90 jours après le dernier changement.\nPour toute question, écrivez à la boutique en indiquant le numéro de commande qui figure dans l’e-mail.',
};
