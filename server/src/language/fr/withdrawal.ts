import type { withdrawal as english } from '../en/withdrawal.ts';

export const withdrawal: Record<keyof typeof english, string> = {
  link: 'Renoncer au contrat ici',
  title: 'Renoncer au contrat',
  intro: 'Vous pouvez renoncer ici à un contrat conclu avec {shop}. Vous n’avez pas à indiquer de motif.',
  steps: 'Étape {step} sur 2',
  check_this: 'Veuillez vérifier vos informations',
  name: 'Votre nom',
  email: 'Adresse e-mail',
  email_hint: 'Nous enverrons l’accusé de réception à cette adresse.',
  contract: 'Numéro de commande',
  contract_hint:
    'Il figure dans la confirmation de votre commande. Si vous ne l’avez pas, décrivez ce que vous avez commandé et quand.',
  items: 'Articles concernés',
  items_hint: 'Laissez ce champ vide pour renoncer à l’ensemble du contrat.',
  note: 'Précisions',
  choose: 'Articles de la commande {number}',
  choose_hint: 'Sans sélection, vous renoncez à l’ensemble du contrat.',
  choice_changed: 'Les articles de la commande ont changé. Choisissez à nouveau.',
  none: 'Non sélectionné',
  exempt: '{name} (peut être exclu du droit de rétractation)',
  name_missing: 'Saisissez votre nom.',
  email_wrong: 'Saisissez une adresse e-mail à laquelle nous pouvons vous joindre.',
  contract_missing: 'Saisissez le numéro de commande, ou décrivez ce que vous avez commandé et quand.',
  too_long: 'Raccourcissez ce texte à {count} caractères au maximum.',
  review: 'Confirmer la rétractation',
  declare: 'Je vous notifie par la présente ma rétractation du contrat portant sur les biens ou services suivants :',
  all: 'L’ensemble du contrat',
  confirm: 'Confirmer la rétractation',
  change: 'Modifier les informations',
  sent: 'Nous avons reçu votre rétractation',
  sent_text:
    'Nous envoyons un accusé de réception avec la date, l’heure et votre déclaration à l’adresse e-mail que vous avez indiquée.',
  stated_subject: 'Nous avons reçu votre rétractation',
  stated:
    'Une rétractation d’un contrat avec {shop} nous a été envoyée avec votre adresse e-mail. Nous l’avons reçue le {moment}.',
  stated_statement: 'La déclaration',
  stated_next:
    'Nous vérifions maintenant quelle commande elle concerne et vous contacterons. Veuillez conserver cet e-mail.',
  stated_not_you: 'Si vous n’avez pas envoyé cette déclaration, veuillez contacter la boutique.',
};
