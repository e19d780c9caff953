import type { buy as english } from '../en/buy.ts';

export const buy: Record<keyof typeof english, string> = {
  title: 'Votre sélection',
  intro: 'Cette sélection a été préparée pour vous. Rien n’est encore commandé.',
  go: 'Passer à la caisse',
  after: 'Vous y saisirez votre adresse et vérifierez tout avant de commander.',
  code: 'Code : {code}',
  gone: 'Rien à acheter ici',
  gone_text:
    'Les articles de ce lien ne sont plus vendus dans cette boutique. Demandez un nouveau lien à la personne qui vous l’a donné.',
  short: 'Il n’en reste pas assez. Réessayez plus tard, ou demandez à la personne qui vous a donné le lien.',
  missing:
    '{count, plural, one {Un article du lien n’est plus en vente.} other {# articles du lien ne sont plus en vente.}}',
  item: '{name} × {quantity}',
};
