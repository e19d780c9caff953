import type { buy as english } from '../en/buy.ts';

export const buy: Record<keyof typeof english, string> = {
  title: 'Votre sélection',
  intro: 'Cette sélection a été préparée pour vous. Rien n’est encore commandé.',
  go: 'Continuer vers la commande',
  after: 'Vous y saisirez votre adresse et vérifierez tout avant de commander.',
  quantity: 'Quantité',
  quantity_of: 'Quantité de {name}',
  update: 'Mettre à jour les quantités',
  delivery_later: 'La livraison et les remises s’ajoutent à l’étape suivante.',
  code: 'Code : {code}',
  gone: 'Ces articles ne sont plus disponibles',
  gone_text:
    'Les articles de ce lien ne sont plus vendus dans cette boutique. Demandez un nouveau lien à la personne qui vous l’a donné.',
  short:
    'Certains articles ne sont pas disponibles dans cette quantité. Réessayez plus tard, ou adressez-vous à la personne qui vous a donné le lien.',
  missing:
    '{count, plural, one {Un article de ce lien n’est plus en vente.} other {# articles de ce lien ne sont plus en vente.}}',
};
